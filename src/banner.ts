import type { AddressInfo } from "node:net";
import { localUrl } from "./base-url";
import type { BootstrapResult } from "./bootstrap";
import type { Config } from "./config";

/** Returns the URL for users: the public URL if set, otherwise the listening address. */
export function addressOf({ publicUrl, tls }: Config, listening: AddressInfo | string | null): string {
  if (publicUrl !== undefined) return publicUrl;
  if (listening === null || typeof listening === "string") return String(listening);
  return localUrl({ tls, host: listening.address, port: listening.port });
}

/** Returns the notice that is printed once, on the first start with an empty database. */
export const firstStartNotice = (first: BootstrapResult, address: string): string => `
First start. Save these credentials: they are shown only once.

  Dashboard      ${address}/dashboard
  Sign in as     ${first.ownerEmail}
  Password       ${first.ownerPassword ?? "(as set in BOOTSTRAP_OWNER_PASSWORD)"}
  Organization   ${first.organization}
  Agent          ${first.agent}
  API key        ${first.keySecret}   (${first.keyName})

Try it:

  curl -H "Authorization: Bearer ${first.keySecret}" ${address}/agent/whoami

`;

/** Returns the notice that is printed on each start, when the server is ready for requests. */
export const readyNotice = ({ environment }: Pick<Config, "environment">, address: string): string =>
  `Dashboard at ${address}/dashboard\nGraphQL ${environment === "development" ? "and Apollo Sandbox " : ""}at ${address}/graphql\n`;
