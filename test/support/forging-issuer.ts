import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { Receiver } from "./receiver";

const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const strangersPair = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** Faults of a token. */
export interface Forgery {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  /** A different key for the signature; `null` for no signature. */
  key?: KeyObject | null;
  /** Signs with HMAC and the PEM of the public key as its secret. */
  withPublicKey?: boolean;
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Returns a token signed with the issuer's key, or a forged one. */
export function jwt(
  claims: object,
  { header = {}, key = pair.privateKey, withPublicKey, ...forged }: Forgery = {},
): string {
  const head = { alg: "RS256", kid: "known", ...header };
  const body = `${encoded(head)}.${encoded({ ...claims, ...forged.claims })}`;
  if (withPublicKey) {
    const pem = pair.publicKey.export({ type: "spki", format: "pem" });
    return `${body}.${createHmac("sha256", pem).update(body).digest("base64url")}`;
  }
  return `${body}.${key === null ? "" : sign("sha256", Buffer.from(body), key).toString("base64url")}`;
}

/**
 * An issuer that a test can make careless or malicious: it sends the data that the test sets, and accepts codes
 * repeatedly.
 */
export class ForgingIssuer {
  /** Faults of the next ID tokens. */
  forgery: Forgery = {};
  /** Additions and changes to its configuration. */
  metadata: Record<string, unknown> = {};
  readonly asked: string[] = [];
  private readonly codes = new Map<string, { claims: object; challenge: string }>();

  private constructor(private readonly receiver: Receiver) {}

  static async start(): Promise<ForgingIssuer> {
    const issuer = new ForgingIssuer(await Receiver.start());
    issuer.receiver.reaction = (response, { url = "" }) => {
      issuer.asked.push(url);
      const { body } = issuer.receiver.received.at(-1) ?? { body: "" };
      const [status, answer] = issuer.answer(url, new URLSearchParams(body));
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    };
    return issuer;
  }

  get url(): string {
    return this.receiver.url().replace(/\/[^/]*$/, "");
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  /** Returns the claims of an ID token or logout token for the client `gateway`. */
  claims(more: object): object {
    const now = Math.floor(Date.now() / 1000);
    return { iss: this.url, aud: "gateway", iat: now, exp: now + 300, ...more };
  }

  /**
   * Creates a code for the person who was sent to `authorization`.
   * @returns the query of the callback
   */
  answerTo(authorization: string, person: { sub: string } & Record<string, unknown>): URLSearchParams {
    const asked = new URL(authorization).searchParams;
    const code = randomUUID();
    const claims = this.claims({ nonce: asked.get("nonce"), ...person });
    this.codes.set(code, { claims, challenge: asked.get("code_challenge") ?? "" });
    return new URLSearchParams({ code, state: asked.get("state") ?? "", iss: this.url });
  }

  private answer(url: string, form: URLSearchParams): [status: number, body: object] {
    if (url.endsWith("/openid-configuration")) {
      const at = (path: string) => `${this.url}/${path}`;
      return [
        200,
        {
          issuer: this.url,
          authorization_endpoint: at("authorize"),
          token_endpoint: at("token"),
          jwks_uri: at("keys"),
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
          authorization_response_iss_parameter_supported: true,
          ...this.metadata,
        },
      ];
    }
    if (url.endsWith("/keys"))
      return [200, { keys: [{ ...pair.publicKey.export({ format: "jwk" }), kid: "known", use: "sig" }] }];
    const code = this.codes.get(form.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (code === undefined || verifier !== code.challenge) return [400, { error: "invalid_grant" }];
    return [200, { access_token: "token", token_type: "Bearer", id_token: jwt(code.claims, this.forgery) }];
  }
}
