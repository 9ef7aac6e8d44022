/** An address that e-mail can be sent to, and its domain; a comma outside quotes would separate two addresses. */
export const MAILBOX = /^(?:"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])+"|[^\s<>,;@"]+)@([^\s<>,;@"]+)$/u;

/** Status codes (RFC 3463) for an address that is missing or disabled; omits codes that may concern the sender. */
export const UNDELIVERABLE = /^5\.(1\.(?![0789]$)\d{1,3}|2\.1)$/;
