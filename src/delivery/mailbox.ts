/** An address that e-mail can be sent to, and its domain; a comma outside quotes would separate two addresses. */
export const MAILBOX = /^(?:"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])+"|[^\s<>,;@"]+)@([^\s<>,;@"]+)$/u;

/**
 * Status codes for an address that does not exist or is disabled (RFC 3463), excluding codes that may concern
 * the sender's address, such as 5.1.0.
 */
export const UNDELIVERABLE = /^5\.(1\.(?![0789]$)\d{1,3}|2\.1)$/;
