import { randomBytes } from "node:crypto";
import { baseUrlOf } from "../../base-url";
import type { Config } from "../../config";
import type { Passkey } from "./passkey.entity";
import type { AddPasskeyInput, SignInWithPasskeyInput } from "./passkey.inputs";

/** Max time for the user to confirm with a passkey (ms). */
export const CHALLENGE_LIFETIME_MS = 5 * 60_000;

/** EdDSA, ES256 and RS256; every authenticator supports at least one of them. */
const ALGORITHMS = [-8, -7, -257];

/** A valid ES256 key without an owner, so that verifying an unknown passkey costs as much as verifying a known one. */
const NO_KEY =
  "pQECAyYgASFYILvNBQRZ1U79W2bpr_hIBsQFCeMcFHFxZh62pZeI_Wm5IlggCeW329SlLQ1-XDZSN6jPmwJTXUxQbbPw750lIyMZATE";

type Address = Pick<Config, "publicUrl" | "tls" | "host" | "port">;
type Known = Pick<Passkey, "credentialId" | "transports">;

/** Loaded on first use, because few servers need it immediately. */
const library = () => import("@simplewebauthn/server");

/** The relying party for passkeys, which verifies authenticators' signatures. */
export class WebAuthn {
  private readonly origin: string;
  private readonly rpID: string;

  constructor(config: Address) {
    const url = new URL(baseUrlOf(config));
    // Browsers accept only host names as relying party IDs, so a loopback address becomes `localhost`.
    if (url.hostname === "127.0.0.1" || url.hostname === "[::1]") url.hostname = "localhost";
    this.origin = url.origin;
    this.rpID = url.hostname;
  }

  /** Returns options with a new challenge for `navigator.credentials.create`. */
  async creationOptions(member: { id: string; email: string }, existing: readonly Known[]) {
    const { generateRegistrationOptions } = await library();
    return generateRegistrationOptions({
      rpName: this.rpID,
      rpID: this.rpID,
      userID: new TextEncoder().encode(member.id),
      userName: member.email,
      userDisplayName: member.email,
      challenge: newChallenge(),
      timeout: CHALLENGE_LIFETIME_MS,
      attestationType: "none",
      authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
      excludeCredentials: existing.map(descriptorOf),
    });
  }

  /** Returns options for `navigator.credentials.get`; by default, for any passkey known to the browser. */
  async requestOptions(allowed?: readonly Known[]) {
    const { generateAuthenticationOptions } = await library();
    return generateAuthenticationOptions({
      rpID: this.rpID,
      challenge: newChallenge(),
      timeout: CHALLENGE_LIFETIME_MS,
      userVerification: "required",
      ...(allowed && { allowCredentials: allowed.map(descriptorOf) }),
    });
  }

  /** Verifies a new passkey; the authenticator must have verified its user. Returns undefined if it is invalid. */
  async verifyNew(
    challenge: string,
    { credentialId: id, clientDataJSON, attestationObject }: AddPasskeyInput,
  ): Promise<Pick<Passkey, "credentialId" | "publicKey" | "counter"> | undefined> {
    const { verifyRegistrationResponse } = await library();
    const response = { clientDataJSON, attestationObject };
    try {
      const { registrationInfo } = await verifyRegistrationResponse({
        response: { id, rawId: id, type: "public-key", clientExtensionResults: {}, response },
        expectedChallenge: challenge,
        expectedOrigin: this.origin,
        expectedRPID: this.rpID,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      const credential = registrationInfo?.credential;
      if (credential?.id !== id || !isCredentialId(id)) return undefined;
      const publicKey = Buffer.from(credential.publicKey).toString("base64url");
      return { credentialId: id, publicKey, counter: credential.counter };
    } catch {
      return undefined;
    }
  }

  /**
   * Verifies a signature; the authenticator must have verified its user.
   * @param passkey null for an unknown passkey, so that rejecting one takes equally long
   * @returns the authenticator's signature counter, for the caller to compare; undefined if the signature is invalid
   */
  async verifySignature(
    challenge: string,
    { credentialId: id, clientDataJSON, authenticatorData, signature }: SignInWithPasskeyInput,
    passkey: Pick<Passkey, "publicKey"> | null,
  ): Promise<number | undefined> {
    const { verifyAuthenticationResponse } = await library();
    const response = { clientDataJSON, authenticatorData, signature };
    const publicKey = new Uint8Array(Buffer.from(passkey?.publicKey ?? NO_KEY, "base64url"));
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: { id, rawId: id, type: "public-key", clientExtensionResults: {}, response },
        expectedChallenge: challenge,
        expectedOrigin: this.origin,
        expectedRPID: this.rpID,
        requireUserVerification: true,
        credential: { id, publicKey, counter: 0 },
      });
      return verified && passkey !== null ? authenticationInfo.newCounter : undefined;
    } catch {
      return undefined;
    }
  }
}

const newChallenge = () => new Uint8Array(randomBytes(32));

const descriptorOf = ({ credentialId, transports }: Known) => ({ id: credentialId, transports });

/** True for an ID of at most 1,023 bytes in base64url. */
export const isCredentialId = (id: string): boolean => /^[\w-]{1,1364}$/.test(id);

/** Returns the challenge claimed in a browser's response; empty if the response is malformed. */
export function challengeIn(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString());
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}
