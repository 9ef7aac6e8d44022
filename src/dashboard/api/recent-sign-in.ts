import { createStore } from "../store";

/** Requests that wait until the member has confirmed who they are. */
interface Waiting {
  confirmed: Promise<boolean>;
  settle: (isConfirmed: boolean) => void;
}

const waiting = createStore<Waiting | undefined>(undefined);

/** The requests that wait, for the dialog that asks; undefined without any. */
export const useWaiting = waiting.use;

/**
 * Asks the member to confirm who they are.
 * @returns false if they did not
 */
export async function confirmSignIn(): Promise<boolean> {
  if (waiting.get() === undefined) {
    let settle: Waiting["settle"] = () => undefined;
    const confirmed = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    waiting.set({ confirmed, settle });
  }
  try {
    return (await waiting.get()?.confirmed) === true;
  } finally {
    waiting.set(undefined);
  }
}
