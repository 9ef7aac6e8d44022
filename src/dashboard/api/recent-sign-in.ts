import { createStore } from "../store";

/** Requests that wait until the member has confirmed their identity. */
interface Waiting {
  confirmed: Promise<boolean>;
  settle: (isConfirmed: boolean) => void;
}

const waiting = createStore<Waiting | undefined>(undefined);

/** The requests that the confirmation dialog is for; undefined if there are none. */
export const useWaiting = waiting.use;

/**
 * Asks members to confirm their identity.
 * @returns false if they did not confirm it
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
