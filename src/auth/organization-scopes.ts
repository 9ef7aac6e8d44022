// The dashboard also imports this module, so it must not import anything.

/** The scopes of organization keys, with a sentence describing what each allows. */
export const organizationScopes = {
  "keys:manage": "Mint, change, rotate and revoke API keys, and read their usage.",
  "agents:manage": "Create, rename and delete agents.",
  "configuration:publish": "Read, check, test and publish agents' configurations.",
  "lines:manage": "Read and manage agents' lines.",
  "webhooks:manage": "Read and manage webhook endpoints.",
  "members:read": "List the members of the organization.",
  "audit:read": "Read the audit log.",
} as const;
