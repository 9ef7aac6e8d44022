import { createStore } from "../store";

/**
 * `ok` if the server answered the last request. `navigator.onLine` does not cover this, because the server may run on
 * the same machine.
 */
export const connection = createStore<"ok" | "lost">("ok");
