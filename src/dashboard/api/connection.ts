import { createStore } from "../store";

/**
 * `ok` if the server answered the last request. Unlike `navigator.onLine`, this is about the server, which may run on
 * the same machine.
 */
export const connection = createStore<"ok" | "lost">("ok");
