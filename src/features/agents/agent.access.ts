import { Permission } from "../../auth/permissions";

/** The scope or permission needed to read an agent's lines. */
export const MAY_READ_LINES = {
  key: "agent:read",
  organizationKey: "lines:manage",
  member: Permission.config_manage,
} as const;

/** The scope or permission needed to read an agent's decisions. */
export const MAY_READ_DECISIONS = { key: "agent:read", member: Permission.conversations_read } as const;
