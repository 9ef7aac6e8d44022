import type { SystemMail } from "../../delivery/mailer";

/** A key revoked by a report. */
export interface LeakedKey {
  id: string;
  hint: string;
  name: string;
  /** Name of the key's agent; null for an organization key. */
  agent: string | null;
  url: string | null;
}

/** Returns the e-mail that tells a manager which keys were revoked. */
export const leakedKeysMail = (
  to: string,
  organization: string,
  keys: readonly LeakedKey[],
  link: string,
): SystemMail => ({
  to,
  subject: `${keys.length === 1 ? "A leaked API key" : `${keys.length} leaked API keys`} of ${organization}`,
  text: `${keys.length === 1 ? "This API key was" : "These API keys were"} publicly exposed and revoked, so clients that use ${keys.length === 1 ? "it" : "them"} no longer have access:

${keys.map(lineOf).join("\n")}

Remove the old key from where it was found. Create a new key for each client, or connect the application again:

${link}
`,
});

const lineOf = ({ hint, name, agent, url }: LeakedKey): string =>
  `- ${hint} (${name}) of ${agent === null ? "the organization" : `the agent ${agent}`}${url === null ? "" : `, found at ${url}`}`;
