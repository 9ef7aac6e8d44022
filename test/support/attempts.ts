import type { Attempt, OutboundMessage } from "../../src/delivery/driver";
import type { Lookup } from "../../src/delivery/targets";

/** Returns an attempt that is not ended early and whose message may be sent. */
export const anAttempt = (attempt: Partial<Attempt> = {}): Attempt => ({
  number: 1,
  signal: new AbortController().signal,
  mayLeave: () => true,
  ...attempt,
});

export const aMessage = (message: Partial<OutboundMessage> = {}): OutboundMessage => ({
  id: "01a1fcd2-2550-7a0b-8c1f-0c54a1b6b0a1",
  autoSubmitted: null,
  conversationId: "01a1fcd2-2550-7a0b-8c1f-0c54a1b6b0a2",
  contactId: "01a1fcd2-2550-7a0b-8c1f-0c54a1b6b0a3",
  to: "+4915112345678",
  text: "Your order is on its way 📦",
  createdAt: "2026-11-21T06:36:32.976Z",
  ...message,
});

/** Resolves only the given names. */
export const lookupIn =
  (names: Readonly<Record<string, readonly string[]>>): Lookup =>
  async (host) => {
    const addresses = names[host];
    if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
