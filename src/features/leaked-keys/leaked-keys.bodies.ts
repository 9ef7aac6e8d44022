import { z } from "zod";
import { hashToken, isWellFormedApiKey } from "../../credentials/token-format";
import { GatewayError, InvalidInput } from "../../errors";
import { tokenHash } from "../oauth/oauth-record.entity";

/** Max size of a report (bytes). */
export const REPORT_MAX_BYTES = 1_048_576;

const REPORT_MAX_TOKENS = 2_000;

const URL_MAX_LENGTH = 2_048;

/** A leaked API key, or a leaked token of a connected application. */
export interface LeakReport {
  token: string;
  /** URL where the key was found; null if it is unknown. */
  url: string | null;
}

/** A report from a key's holder. */
export const LEAKED_KEY = z.object({
  key: z
    .string()
    .max(100)
    .meta({ description: "The complete API key, or an access or refresh token of a connected application." }),
});

/** GitHub's report. Unknown fields are allowed, because GitHub may add fields. */
const GITHUB_REPORT = z
  .array(z.object({ token: z.string(), url: z.string().nullish() }))
  .max(REPORT_MAX_TOKENS);

/** Returns the hash under which a key or token is stored; undefined for text with a wrong format or checksum. */
export const leakedHash = (token: string): string | undefined =>
  isWellFormedApiKey(token) ? hashToken(token) : tokenHash(token);

/** @throws GatewayError `invalid_request`, including for a mistyped key, whose checksum is wrong */
export function keyOf(body: unknown): string {
  const { data } = LEAKED_KEY.safeParse(body, { jitless: true });
  if (data === undefined)
    throw new GatewayError("invalid_request", 'The body must be an object such as {"key": "agk_…"}.');
  if (leakedHash(data.key) !== undefined) return data.key;
  throw new InvalidInput([{ path: "key", message: "must be a complete API key or token without typos" }]);
}

/** @throws GatewayError `invalid_request` */
export function reportsOf(body: unknown): LeakReport[] {
  const { data } = GITHUB_REPORT.safeParse(body, { jitless: true });
  if (data === undefined)
    throw new GatewayError(
      "invalid_request",
      `The body must be a list of at most ${REPORT_MAX_TOKENS} objects, each with a token.`,
    );
  return data.map(({ token, url }) => ({ token, url: storable(url) }));
}

/** Returns an http or https URL in a form that both databases can store; null for any other value. */
function storable(url: string | null | undefined): string | null {
  if (url == null || !/^https?:/.test(url) || !URL.canParse(url)) return null;
  const { href } = new URL(url);
  return href.length <= URL_MAX_LENGTH ? href : null;
}
