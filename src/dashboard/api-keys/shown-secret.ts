import { createStore } from "../store";

/** A new key, as its dialog shows it. */
export interface NewKey {
  secret: string;
  title: string;
  name: string;
  agent: string;
}

// The only place that holds a secret: it never goes to the query cache, to storage or into the URL.
const shown = createStore<NewKey | undefined>(undefined);

function replaceWith(key: NewKey | undefined): void {
  // React keeps what a component rendered last, so the object itself is emptied.
  const last = shown.get();
  if (last !== undefined) last.secret = "";
  shown.set(key);
}

/** Shows the secret of a new key until its dialog is closed. */
export const showSecret = (key: NewKey): void => replaceWith(key);

/** The key whose secret is shown, if any. */
export const useShownSecret = shown.use;

/** Forgets the secret when its dialog is closed. */
export const forgetSecret = (): void => replaceWith(undefined);
