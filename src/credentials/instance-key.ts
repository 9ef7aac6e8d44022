import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { SIGNING_SECRET } from "./token-parts";

const BYTES = 32;
const ALGORITHM = "aes-256-gcm";
/** 96 bits, the only IV length that GCM uses without hashing. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Identifies the algorithm of sealed text, so that the algorithm can be replaced later. */
const SEAL_VERSION = "v1";

/** Derives signing secrets and seals credentials. Its bytes are private, so logs and dumps do not show them. */
export class InstanceKey {
  /** Identifies the key in the database without revealing it. */
  readonly checkValue: string;
  readonly #bytes: Buffer;
  readonly #sealingKey: Buffer;
  readonly #tokenKey: Buffer;
  readonly #tokenIvKey: Buffer;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#sealingKey = this.#derive("seal");
    this.#tokenKey = this.#derive("token");
    this.#tokenIvKey = this.#derive("token iv");
    this.checkValue = this.#derive("check").toString("base64");
  }

  /** @returns undefined unless the text is 32 bytes in base64 */
  static parse(text: string): InstanceKey | undefined {
    const bytes = Buffer.from(text, "base64");
    return bytes.length === BYTES && bytes.toString("base64") === text ? new InstanceKey(bytes) : undefined;
  }

  static generate(): string {
    return randomBytes(BYTES).toString("base64");
  }

  /** Returns a row's signing secret in the Standard Webhooks format; each generation has a different secret. */
  deriveSigningSecret(id: string, generation: number): string {
    return `${SIGNING_SECRET}_${this.#derive(`signing secret ${id} ${generation}`).toString("base64")}`;
  }

  /** Encrypts text for storage in a row; it can be decrypted only with the same row ID. */
  seal(text: string, rowId: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#sealingKey, iv).setAAD(Buffer.from(rowId));
    const sealed = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${SEAL_VERSION}.${sealed.toString("base64")}`;
  }

  /** @returns undefined if the text was sealed with another key or for another row, or was altered */
  open(sealed: string, rowId: string): string | undefined {
    const [version, encoded = ""] = sealed.split(".");
    const bytes = Buffer.from(encoded, "base64");
    if (version !== SEAL_VERSION || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
    return decrypt(bytes, this.#sealingKey, rowId);
  }

  /** Encrypts text for a lasting link. The IV is a hash of the text (RFC 5297), so tokens need not be stored. */
  sealToken(text: string): string {
    const iv = createHmac("sha256", this.#tokenIvKey).update(text).digest().subarray(0, IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#tokenKey, iv);
    const sealed = [iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString("base64url");
  }

  /** @returns undefined if the token was sealed with another key, or altered */
  openToken(token: string): string | undefined {
    const bytes = Buffer.from(token, "base64url");
    // Compares the re-encoded bytes with the token, because decoding skips invalid characters.
    if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString("base64url") !== token) return undefined;
    return decrypt(bytes, this.#tokenKey);
  }

  /** Returns a keyed hash, for comparing secrets without revealing anything about them to readers of the database. */
  hash(text: string): string {
    return createHmac("sha256", this.#derive("hash")).update(text).digest("base64");
  }

  #derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#bytes, "", `gateway ${purpose}`, BYTES));
  }
}

/** Decrypts what is between the IV and the tag; undefined if the key is wrong or the bytes were altered. */
function decrypt(bytes: Buffer, key: Buffer, authenticated = ""): string | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(authenticated))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
