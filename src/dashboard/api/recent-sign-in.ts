import { createStore } from "../store";

/** Requests that wait until the member has confirmed their identity. */
interface Waiting {
  confirmed: Promise<boolean>;
  settle: (isConfirmed: boolean) => void;
}

const waiting = createStore<Waiting | undefined>(undefined);

/** Returns the requests waiting for the confirmation dialog; undefined if there are none. */
export const useWaiting = waiting.use;

/**
 * Asks the member to confirm their identity; concurrent calls share one dialog.
 * @returns false if the member closed the dialog without confirming
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
