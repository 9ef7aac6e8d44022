/** An address that e-mail can be sent to, and its domain: a comma outside of quotes would make it two. */
export const MAILBOX = /^(?:"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])+"|[^\s<>,;@"]+)@([^\s<>,;@"]+)$/u;
