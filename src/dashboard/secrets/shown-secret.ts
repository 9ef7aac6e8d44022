import { createStore } from "../store";

/** A secret that can be shown only once. */
export type SecretKind = "key" | "signing" | "invitation";

/** A new secret, for its dialog. */
export interface NewSecret {
  secret: string;
  title: string;
  /** Name of the secret's owner, such as a key or line. */
  name: string;
  /** Defaults to an API key. */
  kind?: SecretKind;
  /** Name of an API key's agent. */
  agent?: string;
  /** The requests to sign with a signing secret; undefined if the secret verifies requests instead. */
  signs?: { url: string; contentType: string };
  /** Additional information, such as whether an e-mail was sent. */
  note?: string;
  /** True if the secret was already delivered, so the dialog may close before it is copied. */
  isDelivered?: boolean;
}

// The only place that holds a secret: it is never put into the query cache, storage or the URL.
const shown = createStore<NewSecret | undefined>(undefined);

function replaceWith(secret: NewSecret | undefined): void {
  // Clears the previous secret, because React keeps the last rendered object.
  const last = shown.get();
  if (last !== undefined) last.secret = "";
  shown.set(secret);
}

/** Shows a new secret until its dialog is closed. */
export const showSecret = (secret: NewSecret): void => replaceWith(secret);

/** The secret being shown, if any. */
export const useShownSecret = shown.use;

/** Forgets the secret when its dialog is closed. */
export const forgetSecret = (): void => replaceWith(undefined);
