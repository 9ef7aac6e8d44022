import { newIdempotencyKey } from "../api/idempotency";
import { createStore } from "../store";

const keyOf = (memberId: string, id: string) => `unsent:${memberId}:${id}`;

const sendingOf = (memberId: string, conversationId: string) => `sending:${memberId}:${conversationId}`;

/** Returns the last text sent, and its idempotency key, if the outcome is still unknown. */
const lastOf = (memberId: string, conversationId: string): { text: string; key: string } | null =>
  JSON.parse(sessionStorage.getItem(sendingOf(memberId, conversationId)) ?? "null");

/** Counts changes, to rerender components after each change. */
const changes = createStore(0);

/** A member's unsent input, stored per tab by the ID of the conversation or of the proposal that it replaces. */
export const unsent = {
  get: (memberId: string, id: string): string => sessionStorage.getItem(keyOf(memberId, id)) ?? "",
  set: (memberId: string, id: string, text: string): void => {
    const key = keyOf(memberId, id);
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
    changes.set(changes.get() + 1);
  },
  /** Returns the input and rerenders the component when it changes. */
  use: (memberId: string, id: string): string => {
    changes.use();
    return unsent.get(memberId, id);
  },
  /**
   * Returns the idempotency key for sending `text`. Text restored to the field after a lost response keeps
   * its key, even after a reload, so the server does not send it twice.
   */
  keyOf: (memberId: string, conversationId: string, text: string): string => {
    const last = lastOf(memberId, conversationId);
    if (last?.text === text) return last.key;
    const key = newIdempotencyKey();
    sessionStorage.setItem(sendingOf(memberId, conversationId), JSON.stringify({ text, key }));
    return key;
  },
  /**
   * Forgets the key after the text was sent or discarded, because the same text may be sent twice on purpose.
   * @param sent the sent text; the key of any other text is kept, because its request may be in flight
   */
  forgetKey: (memberId: string, conversationId: string, sent?: string): void => {
    if (sent === undefined || lastOf(memberId, conversationId)?.text === sent)
      sessionStorage.removeItem(sendingOf(memberId, conversationId));
  },
};
