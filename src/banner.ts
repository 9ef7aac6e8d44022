import type { AddressInfo } from "node:net";
import type { BootstrapResult } from "./bootstrap";
import type { Config } from "./config";

/** The address that a person opens: the public one where it is set, else where the server listens. */
export function addressOf({ publicUrl, tls }: Config, listening: AddressInfo | string | null): string {
  if (publicUrl !== undefined) return publicUrl;
  if (listening === null || typeof listening === "string") return String(listening);
  const { address, port, family } = listening;
  const host =
    address === "0.0.0.0" || address === "::" ? "localhost" : family === "IPv6" ? `[${address}]` : address;
  return `${tls ? "https" : "http"}://${host}:${port}`;
}

/** Said once, at the first start on an empty database. */
export const firstStartNotice = (first: BootstrapResult, address: string): string => `
First start: this is shown once and cannot be shown again.

  Dashboard      ${address}/dashboard
  Sign in as     ${first.ownerEmail}
  Password       ${first.ownerPassword ?? "(as set in BOOTSTRAP_OWNER_PASSWORD)"}
  Organization   ${first.organization}
  Agent          ${first.agent}
  API key        ${first.keySecret}   (${first.keyName})

Try it:

  curl -H "Authorization: Bearer ${first.keySecret}" ${address}/agent/whoami

`;

/** Said at each start, once requests are answered. */
export const readyNotice = ({ environment }: Pick<Config, "environment">, address: string): string =>
  `Dashboard at ${address}/dashboard\nGraphQL ${environment === "development" ? "and Apollo Sandbox " : ""}at ${address}/graphql\n`;
