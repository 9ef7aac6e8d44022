import type { Config } from "./config";

/** Returns the base URL of links that the server sends: `PUBLIC_URL`, or the address printed on startup. */
export const baseUrlOf = ({
  publicUrl,
  tls,
  host,
  port,
}: Pick<Config, "publicUrl" | "tls" | "host" | "port">): string =>
  publicUrl ?? `${tls ? "https" : "http"}://${hostIn(host)}:${port}`;

function hostIn(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
