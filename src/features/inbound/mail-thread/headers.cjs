// @ts-check
// Reads an e-mail's senders and references from its headers.
const { PostalMime } = require("./postal-mime.cjs");

/** @typedef {import("postal-mime").Header} Header */

const SENDER_MAX_LENGTH = 2_000;
const REFERENCES_MAX_LENGTH = 8_000;
const LIST_MAX_LENGTH = 255;
const MAX_LISTS = 4;

/**
 * Returns the addresses that may have sent an e-mail, best first: a single `From`, `Sender`, the first of
 * several authors, and the envelope's sender. Empty if there are different `From` headers, because a mail
 * server may have verified only one of them.
 * @param {readonly Header[]} headers
 */
function sendersOf(headers) {
  const [from, ...more] = valuesOf(headers, "from").map(mailboxOf);
  if (more.some(({ mailbox }) => mailbox?.address !== from?.mailbox?.address)) return [];
  const senders = valuesOf(headers, "sender").map(mailboxOf);
  const sender = senders.length === 1 && senders[0]?.isOneOfSeveral === false ? senders : [];
  const authors = from === undefined ? [] : [from];
  const named = from?.isOneOfSeveral ? [...sender, ...authors] : [...authors, ...sender];
  const envelope = valuesOf(headers, "return-path").slice(0, 1).map(mailboxOf);
  return [...named, ...envelope]
    .flatMap(({ mailbox, plain }) => [mailbox, plain])
    .filter((each) => each !== undefined);
}

/**
 * Returns the author of a form's or list's e-mail; list programs copy it to another header before they replace `From`.
 * @param {readonly Header[]} headers
 */
function authorOf(headers) {
  const [author] = ["x-original-sender", "x-original-from", "reply-to"].flatMap((name) => {
    const [value, ...more] = valuesOf(headers, name).map(mailboxOf);
    return more.length === 0 && value?.isOneOfSeveral === false ? (value.mailbox ?? []) : [];
  });
  return author;
}

/**
 * Returns the addresses of an e-mail's mailing list, including its ID in the form of an address.
 * @param {readonly Header[]} headers
 */
function listsOf(headers) {
  const posts = valuesOf(headers, "list-post").flatMap(
    (value) => /<mailto:([^<>?]+)/i.exec(value)?.[1] ?? [],
  );
  // The lookbehind prevents a new search from each character of a long word.
  const ids = valuesOf(headers, "list-id").flatMap(
    (value) => /(?<![^<>\s])([^<>\s]+)>?\s*$/.exec(value)?.[1] ?? [],
  );
  // Ignores a list without an ID, because its e-mails are not classified as automatic, so they could be answered.
  if (ids.length === 0) return [];
  return [...posts, ...ids.map((id) => id.replace(".", "@"))]
    .map((each) => each.slice(0, LIST_MAX_LENGTH).toLowerCase())
    .slice(0, MAX_LISTS);
}

/** @param {string} value */
function mailboxOf(value) {
  if (value.length > SENDER_MAX_LENGTH) return { isOneOfSeveral: false };
  // Some programs put angle brackets around an address that already has them.
  const text = value.replace(/<{2,}/g, "<").replace(/>{2,}/g, ">");
  const found = /** @type {import("postal-mime").Mailbox[]} */ (
    PostalMime.addressParser(text, { flatten: true })
  );
  const [address, ...more] = found.flatMap(({ address = "" }) => (address.includes("@") ? [address] : []));
  const unquoted = text.replace(/"(?:[^"\\]|\\.)*"/g, "");
  // The parser finds addresses within encoded words, and takes the first of several addresses in angle brackets.
  const isOneOfSeveral = more.length > 0 || unquoted.split("<").length > 2;
  const isUsable =
    address !== undefined && text.includes(address) && !/\s/.test(address.replace(/^".*"@/, ""));
  // The parser splits an unquoted name at a comma.
  const name = isOneOfSeveral ? "" : found.flatMap(({ name }) => name || []).join(", ");
  return { mailbox: isUsable ? { address, name } : undefined, plain: plainAddress(text), isOneOfSeveral };
}

/** Requires several labels in the domain, because other words around an `@` may be part of a name. */
const ADDRESS = /(?:"(?:[^"\\]|\\.)+"|[^\s<>()",;:[\]\\@]+)@[^\s<>()",;:[\]\\@.]+\.[^\s<>()",;:[\]\\@]+/;
const MAX_COMMENT_DEPTH = 5;

/**
 * Removes syntax that the parser does not support from a sender's address: comments and spaces within an
 * address, routes and apostrophes (RFC 5322, 3.2.2, 3.4.1 and 4.4).
 * @param {string} text
 */
function plainAddress(text) {
  let plain = text;
  for (let depth = 0; depth < MAX_COMMENT_DEPTH; depth++)
    plain = plain.replace(/("(?:[^"\\]|\\.)*")|\((?:[^()"\\]|\\.)*\)/g, "$1");
  const bare = plain.replace(/\s*([@.])\s*/g, "$1").replace(/"(?:[^"\\]|\\.)*"(?!@)/g, " ");
  const [inBrackets = bare] = /(?<=<)[^<>]*@[^<>]*(?=>)/.exec(bare) ?? [];
  const [address] = ADDRESS.exec(inBrackets) ?? [];
  return address === undefined ? undefined : { address: address.replace(/^'|'$/g, ""), name: "" };
}

/**
 * Returns the message IDs that an e-mail refers to, oldest first.
 * @param {readonly Header[]} headers
 */
function referencesOf(headers) {
  const values = [...valuesOf(headers, "references"), ...valuesOf(headers, "in-reply-to")];
  const ids =
    values
      .join(" ")
      .slice(-REFERENCES_MAX_LENGTH)
      .match(/<[^<>\s]+>/g) ?? [];
  return [...new Set(ids.toReversed())].toReversed();
}

/**
 * @param {readonly Header[]} headers
 * @param {string} name
 */
const valuesOf = (headers, name) =>
  headers.flatMap(({ key, value }) => (key === name && value !== "" ? [value] : []));

module.exports = { authorOf, listsOf, referencesOf, sendersOf, valuesOf };
