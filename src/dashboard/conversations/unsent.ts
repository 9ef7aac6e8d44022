const keyOf = (memberId: string, conversationId: string) => `unsent:${memberId}:${conversationId}`;

/** A member's unsent input in a conversation, kept in the tab. */
export const unsent = {
  get: (memberId: string, conversationId: string): string =>
    sessionStorage.getItem(keyOf(memberId, conversationId)) ?? "",
  set: (memberId: string, conversationId: string, text: string): void => {
    const key = keyOf(memberId, conversationId);
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  },
};
