import type { Config } from "./config";

/** Returns the base URL of links that the server sends: `PUBLIC_URL`, or the address printed on startup. */
export const baseUrlOf = (config: Pick<Config, "publicUrl" | "tls" | "host" | "port">): string =>
  config.publicUrl ?? localUrl(config);

/** Returns the URL of a server on this machine, for its users. */
export function localUrl({ tls, host, port }: Pick<Config, "tls" | "host" | "port">): string {
  const isAny = host === "0.0.0.0" || host === "::";
  const name = host.includes(":") ? `[${host}]` : host;
  return `${tls ? "https" : "http"}://${isAny ? "localhost" : name}:${port}`;
}
