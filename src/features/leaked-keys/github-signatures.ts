import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Logger } from "pino";
import { z } from "zod";
import { HOUR_MS } from "../../common/time";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";
import { boundedFetch } from "../../http/bounded-fetch";

const LIST_MAX_BYTES = 65_536;

const TIMEOUT_MS = 5_000;

/** Min time between two requests for the list (ms); anyone can trigger one by sending an unknown key identifier. */
const MIN_INTERVAL_MS = 60_000;

/** Disables Zod's JIT compiler, so that no request has to wait while Zod generates code. */
const NO_CODE = { jitless: true } as const;

const LIST = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
});

/**
 * Verifies reports from GitHub's secret scanning: ECDSA with P-256 and SHA-256 over the raw body
 * (https://docs.github.com/code-security/secret-scanning/secret-scanning-partner-program).
 */
export class GitHubSignatures {
  private keys: ReadonlyMap<string, KeyObject> | undefined;
  private readAt = Number.NEGATIVE_INFINITY;
  private askedAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;

  /** @param clock monotonic time (ms) */
  constructor(
    private readonly config: Pick<Config, "gitHubKeysUrl">,
    private readonly log: Pick<Logger, "warn">,
    private readonly clock = () => performance.now(),
  ) {}

  /** True if a signature (DER in Base64) is valid; throws `unavailable` without the keys, so that GitHub retries. */
  async isValid(identifier: string, signature: string, body: Uint8Array): Promise<boolean> {
    if (!this.keys?.has(identifier) || this.clock() - this.readAt >= HOUR_MS) await this.read();
    if (this.keys === undefined) throw new GatewayError("unavailable");
    const key = this.keys.get(identifier);
    return key !== undefined && verify("sha256", body, key, Buffer.from(signature, "base64"));
  }

  /** Reads the key list, at most once per minute. If this fails, the previous list remains in use. */
  private read(): Promise<void> {
    if (this.reading !== undefined) return this.reading;
    if (this.clock() - this.askedAt < MIN_INTERVAL_MS) return Promise.resolve();
    this.askedAt = this.clock();
    this.reading = this.download()
      .catch((error: unknown) => {
        this.log.warn({ err: error }, "could not read the public keys of GitHub's secret scanning");
      })
      .finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  }

  private async download(): Promise<void> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers = { accept: "application/json", "user-agent": "agent-petstore-gateway" };
    const response = await boundedFetch(this.config.gitHubKeysUrl, { signal, headers }, LIST_MAX_BYTES);
    if (!response.ok) throw new Error(`The server responded with ${response.status}.`);
    const { public_keys: listed } = LIST.parse(await response.json(), NO_CODE);
    this.keys = new Map(listed.flatMap(({ key_identifier, key }) => entryOf(key_identifier, key)));
    this.readAt = this.clock();
  }
}

/** Returns a list that contains the key and its identifier; empty unless the key is for ECDSA with P-256. */
function entryOf(identifier: string, pem: string): [string, KeyObject][] {
  const key = createPublicKey(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  return type === "ec" && details?.namedCurve === "prime256v1" ? [[identifier, key]] : [];
}
