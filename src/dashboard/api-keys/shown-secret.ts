import { useSyncExternalStore } from "react";

/** A key that was just minted, as its dialog tells of it. */
export interface Minted {
  secret: string;
  title: string;
  name: string;
  agent: string;
}

// The one place of a secret: not the client's cache, no storage, no address.
let shown: Minted | undefined;
const listeners = new Set<() => void>();

function put(minted: Minted | undefined): void {
  // React remembers what a component showed last, so the thing itself is emptied.
  if (shown !== undefined) shown.secret = "";
  shown = minted;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Shows a secret that was just minted, once, until the dialog is closed. */
export const showSecret = (minted: Minted): void => put(minted);

/** The secret to show, undefined for none. */
export const useShownSecret = (): Minted | undefined => useSyncExternalStore(subscribe, () => shown);

/** Forgets the secret: its dialog is gone. */
export const forgetSecret = (): void => put(undefined);
