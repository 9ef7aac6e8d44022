import { createStore } from "../store";

const keyOf = (memberId: string, conversationId: string) => `unsent:${memberId}:${conversationId}`;

/** The number of changes, which rerenders components after each one. */
const changes = createStore(0);

/** A member's unsent input in a conversation, kept in the tab. */
export const unsent = {
  get: (memberId: string, conversationId: string): string =>
    sessionStorage.getItem(keyOf(memberId, conversationId)) ?? "",
  set: (memberId: string, conversationId: string, text: string): void => {
    const key = keyOf(memberId, conversationId);
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
    changes.set(changes.get() + 1);
  },
  /** Returns the input in a component, which rerenders when the input changes. */
  use: (memberId: string, conversationId: string): string => {
    changes.use();
    return unsent.get(memberId, conversationId);
  },
};
