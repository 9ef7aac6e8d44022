import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const base64url = (data: string | Buffer) => Buffer.from(data).toString("base64url");

/** Returns a CBOR byte string (RFC 8949) of 256 bytes to 64 KiB. */
const cborBytes = (bytes: Buffer) =>
  Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 0xff]), bytes]);
const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)]);

/** Deviations of an authenticator's response from a correct one. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  /** False if the authenticator did not verify its user. */
  userVerified?: boolean;
  userHandle?: string | null;
  counter?: number;
}

/** An authenticator (WebAuthn) with one ES256 key, based on node:crypto. */
export class Authenticator {
  readonly credentialId = base64url(randomBytes(32));
  counter = 0;
  private readonly keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  private userHandle: string | null = null;

  constructor(private readonly origin: string) {}

  /**
   * Returns the input of `addPasskey` for the options of `startPasskeyRegistration`, without a name.
   * @param options the argument of `navigator.credentials.create`
   */
  create(
    options: { challenge: string; user: { id: string }; rp: { id: string } },
    deviation: Deviation = {},
  ) {
    this.userHandle = options.user.id;
    const id = Buffer.from(this.credentialId, "base64url");
    const { x, y } = this.keys.publicKey.export({ format: "jwk" });
    const coordinate = (text?: string) =>
      Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text ?? "", "base64url")]);
    // kty: EC2, alg: ES256, crv: P-256, x and y
    const key = Buffer.concat([
      Buffer.from("a501020326200121", "hex"),
      coordinate(x),
      Buffer.from([0x22]),
      coordinate(y),
    ]);
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, key]);
    const data = Buffer.concat([this.data(options.rp.id, 0x40, deviation), attested]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText("fmt"), cborText("none"), cborText("attStmt"), Buffer.from([0xa0])],
      ...[cborText("authData"), cborBytes(data)],
    ]);
    return {
      credentialId: this.credentialId,
      clientDataJSON: this.clientData("webauthn.create", options.challenge, deviation),
      attestationObject: base64url(attestation),
      transports: ["internal"],
    };
  }

  /** Returns the input of `signInWithPasskey` for the options of `startPasskeySignIn`. */
  get(options: { challenge: string; rpId: string }, deviation: Deviation = {}) {
    const clientDataJSON = this.clientData("webauthn.get", options.challenge, deviation);
    const data = this.data(options.rpId, 0, deviation);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    return {
      credentialId: this.credentialId,
      clientDataJSON,
      authenticatorData: base64url(data),
      signature: base64url(sign("sha256", signed, this.keys.privateKey)),
      userHandle: deviation.userHandle === undefined ? this.userHandle : deviation.userHandle,
    };
  }

  private data(rpId: string, flags: number, { userVerified = true, ...deviation }: Deviation): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(deviation.counter ?? this.counter);
    const flag = Buffer.from([flags | 1 | (userVerified ? 4 : 0)]);
    return Buffer.concat([sha256(deviation.rpId ?? rpId), flag, counter]);
  }

  private clientData(type: string, challenge: string, deviation: Deviation): string {
    const fields = { type: deviation.type ?? type, challenge: deviation.challenge ?? challenge };
    return base64url(
      JSON.stringify({ ...fields, origin: deviation.origin ?? this.origin, crossOrigin: false }),
    );
  }
}
