import { ApiError } from "../api/api-error";
import type { SignInWithPasskeyMutationVariables } from "./documents.generated";

/** The reasons why the browser returned no passkey, by error name. */
const SENTENCES: Readonly<Record<string, string>> = {
  NotAllowedError: "No passkey was used. Try again.",
  InvalidStateError: "You already have a passkey on this device.",
  SecurityError: "Passkeys don’t work at this address. They need a host name and HTTPS.",
};

/** Loaded on demand, because few visits need a passkey. */
const library = () => import("@simplewebauthn/browser");

/** The storage key that records whether a passkey was used in this browser. */
const USED = "passkey-used";

/** True if a passkey was used in this browser; false if storage is blocked. */
const wasUsed = (): boolean => {
  try {
    return localStorage.getItem(USED) !== null;
  } catch {
    return false;
  }
};

const rememberUse = () => {
  try {
    localStorage.setItem(USED, "yes");
  } catch {
    // Without the record, autofill does not offer passkeys.
  }
};

/**
 * True if the browser should offer passkeys in autofill. It does so only if a passkey was used here before,
 * because preparing the offer counts as a sign-in attempt, and all users behind an IP address share one
 * limit.
 */
export const offersPasskeys = async (): Promise<boolean> =>
  wasUsed() && (await library()).browserSupportsWebAuthnAutofill();

/** Stops offering passkeys; the pending `signWithPasskey` fails. */
export const withdrawPasskeys = async (): Promise<void> => {
  if (wasUsed()) (await library()).WebAuthnAbortService.cancelCeremony();
};

/**
 * Runs a browser prompt that needs the user's consent.
 * @throws ApiError with a sentence for the user
 */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    throw new ApiError(SENTENCES[name] ?? "The browser can’t use a passkey here.", "passkey_not_used");
  }
}

/** Prompts the user to create a passkey, with the server's options. */
export async function createPasskey(options: object) {
  const { startRegistration } = await library();
  type Options = Parameters<typeof startRegistration>[0]["optionsJSON"];
  const { id, response } = await asking(() => startRegistration({ optionsJSON: options as Options }));
  rememberUse();
  const { clientDataJSON, attestationObject, transports = [] } = response;
  return { credentialId: id, clientDataJSON, attestationObject, transports };
}

/**
 * Prompts the user to sign in with a passkey, with the server's options.
 * @param isOffer true to offer passkeys in autofill and wait until the user picks one
 */
export async function signWithPasskey(
  options: object,
  isOffer = false,
): Promise<SignInWithPasskeyMutationVariables["input"]> {
  const { startAuthentication } = await library();
  type Options = Parameters<typeof startAuthentication>[0]["optionsJSON"];
  const { id, response } = await asking(() =>
    startAuthentication({ optionsJSON: options as Options, useBrowserAutofill: isOffer }),
  );
  rememberUse();
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response;
  return { credentialId: id, clientDataJSON, authenticatorData, signature, userHandle };
}
