import { z } from "zod";
import { Budget } from "../../common/budget";
import { redactTokens } from "../../credentials/redact-tokens";
import { httpGet } from "../../delivery/http-get";
import type { Targets } from "../../delivery/targets";
import { KEY_NAME_MAX_LENGTH } from "../api-keys/api-key.limits";

/** Max size of a metadata document (bytes), as recommended by the Client ID Metadata Document draft. */
const DOCUMENT_MAX_BYTES = 5_120;

const TIMEOUT_MS = 2_500;

/** Max metadata documents that a process reads concurrently. */
const MAX_CONCURRENT = 50;

const GRANT_TYPES = ["authorization_code", "refresh_token"];

const METADATA = z.object({
  client_id: z.string().optional(),
  client_name: z.string().max(200).optional(),
  redirect_uris: z.array(z.string().min(1).max(2_000)).min(1).max(20),
  grant_types: z.array(z.string()).max(20).optional(),
});

/** Keeps only known fields, so that no other field can trigger a request or weaken a check; throws ZodError. */
export function clientMetadata(given: unknown): Record<string, unknown> {
  const { grant_types: wanted = GRANT_TYPES, ...metadata } = METADATA.parse(given, { jitless: true });
  const isNative = metadata.redirect_uris.some((uri) => !/^https:/i.test(uri));
  return {
    ...metadata,
    // Native applications listen on any port of the loopback interface (RFC 8252, 7.3), but few declare themselves
    // native.
    application_type: isNative ? "native" : "web",
    grant_types: GRANT_TYPES.filter((type) => type === "authorization_code" || wanted.includes(type)),
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

/** Creates the library's `fetch` for metadata documents: only from allowed targets, with limited concurrency. */
export function metadataFetch(targets: Targets): (url: string) => Promise<Response> {
  const budget = new Budget(MAX_CONCURRENT);
  return async (url) => {
    const release = budget.take([], 1);
    if (release === undefined) throw new Error("Too many metadata documents are being read.");
    try {
      const limits = { maxBytes: DOCUMENT_MAX_BYTES, timeoutMs: TIMEOUT_MS };
      const body = await httpGet(targets, new URL(url), limits);
      return Response.json(clientMetadata(JSON.parse(body.toString("utf8"))));
    } finally {
      release();
    }
  };
}

/** Returns an application's name on one line, safe to display and store; without a name, returns its host or ID. */
export function displayName(clientId: string, name: string | undefined): string {
  const line = redactTokens((name ?? "").normalize("NFC"))
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  const shown = line || (hostOf(clientId) ?? clientId);
  return [...shown].slice(0, KEY_NAME_MAX_LENGTH).join("").trim();
}

/** Returns the host that vouches for an application; null for a registered one, because anyone can choose its name. */
export const hostOf = (clientId: string): string | null =>
  URL.canParse(clientId) ? new URL(clientId).host : null;
