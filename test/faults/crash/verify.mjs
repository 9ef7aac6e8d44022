import { createHash } from "node:crypto";
import { verifyEvents } from "./events.mjs";

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

const groupBy = (rows, keyOf) => {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return { of: (key) => groups.get(key) ?? [] };
};

/** Compares the tables with all requests and responses so far. */
export function verify(tables, history) {
  const { violate } = history;
  for (const complaint of tables.complaints) violate("other", complaint);
  if (tables.organizations.length + tables.agents.length + tables.members.length !== 3) {
    violate("doubled", "there is not exactly one organization, agent and owner");
  }
  const successors = new Set(tables.keys.map((key) => key.replaced_by_id));
  const found = {
    pet: groupBy(tables.pets, ({ name }) => name),
    message: groupBy(tables.messages, ({ message }) => message),
    say: groupBy(tables.messages, ({ message }) => message),
    receive: groupBy(tables.messages, ({ provider_id }) => provider_id),
    decide: groupBy(tables.decisions, ({ situation }) => JSON.parse(situation).data.marker),
    // A new key has the name of the key that it replaces.
    createKey: groupBy(
      tables.keys.filter(({ id }) => !successors.has(id)),
      ({ name }) => name,
    ),
  };
  const keys = new Map(tables.keys.map((key) => [key.id, key]));
  const records = groupBy(tables.records, ({ key }) => key);
  for (const write of history.writes) {
    if (write.kind === "revokeKey" || write.kind === "rotateKey") {
      verifyChange(write, keys, violate);
      continue;
    }
    const rows = found[write.kind].of(write.marker);
    verifyCreate(write, rows, violate);
    if (write.idempotencyKey !== undefined) {
      verifyRecord(write, rows, records.of(sha256(write.idempotencyKey)), violate);
    }
  }
  verifyKeys(tables, keys, violate);
  verifyDecisions(tables, violate);
  verifyDeliveries(tables, history);
  verifyEvents(tables, history);
}

/** Checks that every outbound message was delivered in one attempt, and that messages are in order without gaps within a conversation. */
function verifyDeliveries({ messages, attempts, lanes }, { violate, toWebhooks }) {
  const attemptsOf = groupBy(attempts, (attempt) => attempt.message_id);
  const last = new Map();
  for (const { id, message, status, direction, conversation_id, sequence, sent_at } of messages) {
    if (toWebhooks.has(conversation_id)) continue;
    const { length } = attemptsOf.of(id);
    const isInbound = direction === "inbound";
    const final = isInbound ? "received" : "delivered";
    if (status !== final) violate("lost", `${message} is ${status} instead of ${final}`);
    if (length !== (isInbound ? 0 : 1))
      violate(length > 1 ? "doubled" : "lost", `${message} had ${length} attempts`);
    if (conversation_id === null) continue;
    const before = last.get(conversation_id) ?? { sequence: 0, sent_at: "" };
    if (sequence !== before.sequence + 1) violate("lost", `${message} follows number ${before.sequence}`);
    if (!isInbound && sent_at < before.sent_at)
      violate("other", `${message} overtook number ${before.sequence}`);
    last.set(conversation_id, { sequence, sent_at: sent_at ?? before.sent_at });
  }
  if (lanes.length > 0) violate("other", `${lanes.length} lanes are left without a message`);
}

/** Checks that an answered creation is stored once, as answered, and any other at most once. */
function verifyCreate(write, rows, violate) {
  const { kind, marker, answer, outcome } = write;
  const id = answer?.apiKey?.id ?? answer?.id;
  const live = kind === "createKey" ? rows.filter((row) => row.id === id || row.revoked_at === null) : rows;
  if (live.length > 1) violate("doubled", `${kind} ${marker} is there ${live.length} times`);
  if (rows.length > write.attempts) violate("doubled", `${kind} ${marker} is there more often than sent`);
  if (outcome !== "answered") return;
  const row = rows.find((one) => one.id === String(id));
  if (row === undefined) return violate("lost", `${kind} ${marker} was answered with ${id}`);
  if (kind === "pet" && row.category_id !== String(write.categoryId)) {
    violate("half", `pet ${marker} has another category`);
  }
  if (kind === "createKey" && row.hash !== sha256(answer.secret)) {
    violate("half", `the secret of ${marker} is not the one that was answered`);
  }
}

/** Checks that a row and the record of its idempotency key are either both stored or both missing. */
function verifyRecord({ kind, marker }, rows, records, violate) {
  if (records.length > 1)
    violate("doubled", `the idempotency key of ${marker} has ${records.length} records`);
  const [record] = records;
  if ((record === undefined) !== (rows.length === 0)) {
    violate("half", `${kind} ${marker}: ${rows.length} rows, ${records.length} idempotency records`);
  } else if (record !== undefined && !rows.some(({ id }) => id === record.resource_id)) {
    violate("half", `the idempotency record of ${marker} names ${record.resource_id}`);
  }
}

/** Checks that an answered change is stored. */
function verifyChange({ kind, marker, target, graceSeconds, answer, outcome }, keys, violate) {
  if (outcome !== "answered") return;
  const old = keys.get(target.id);
  if (old === undefined) return violate("lost", `the key of ${kind} ${marker} is gone`);
  if (kind === "revokeKey" || graceSeconds === 0) {
    if (old.revoked_at === null) violate("lost", `${kind} ${marker} did not end ${old.id}`);
  } else if (old.expires_at === null) violate("lost", `${kind} ${marker} gave ${old.id} no end`);
  if (kind === "revokeKey") return;
  const successor = keys.get(answer.apiKey.id);
  if (successor === undefined || old.replaced_by_id !== successor.id) {
    violate("lost", `${kind} ${marker} was answered with ${answer.apiKey.id}`);
  } else if (successor.hash !== sha256(answer.secret)) {
    violate("half", `the secret of ${kind} ${marker} is not the one that was answered`);
  }
}

/** Checks that every decision is stored with all its effects, and that no effect is stored without its decision. */
function verifyDecisions({ decisions, messages, addresses, conversations, tags, matches }, violate) {
  const byId = new Map(decisions.map((decision) => [decision.id, decision]));
  const messagesOf = groupBy(messages, ({ decision_id }) => decision_id);
  const contactOf = new Map(addresses.map(({ address, contact_id }) => [address, contact_id]));
  const withContact = new Map(conversations.map(({ id, contact_id }) => [id, contact_id]));
  const isTagged = new Set(tags.map(({ contact_id }) => contact_id));
  const isMatched = new Set(matches.map(({ subject_id }) => subject_id));
  const decided = new Set(decisions.map(({ contact_id }) => contact_id));
  for (const { id, situation, contact_id, conversation_id, state, outcome, explanation } of decisions) {
    const { type, data } = JSON.parse(situation);
    const half = (what) => violate("half", `the decision about ${data.marker} ${what}`);
    const sent = messagesOf.of(id);
    if (type === "message.received") {
      // One decision can be about several messages.
      if (sent.length === 0) violate("half", `${id} is about no message`);
      if (state !== "decided" || outcome !== "silent") violate("half", `${id} is ${state} ${outcome}`);
      continue;
    }
    if (sent.length !== 1)
      violate(sent.length > 1 ? "doubled" : "half", `${data.marker} sent ${sent.length}`);
    const [message] = sent;
    if (state !== "decided" || outcome !== "send") half(`is ${state} ${outcome}`);
    if (message?.message !== data.marker || message.conversation_id !== conversation_id)
      half("has another message");
    const named = JSON.parse(explanation).effects[0].messageId;
    if (named !== message?.id) half(`explains the message ${named}`);
    if (withContact.get(conversation_id) !== contact_id) half("has no conversation with its contact");
    if (type !== "new") continue;
    if (contactOf.get(data.marker) !== contact_id) half("has no contact");
    if (!isTagged.has(contact_id)) half("added no tag");
    if (!isMatched.has(contact_id)) half("is not remembered by its rule");
  }
  for (const { id, decision_id, direction } of messages)
    if (decision_id === null ? direction === "inbound" : !byId.has(decision_id))
      violate("half", `${id} has no decision`);
  for (const [address, id] of contactOf)
    if (address.startsWith("write ") && !decided.has(id)) violate("half", `${address} has no decision`);
}

/**
 * Checks that every key and every change to a key has exactly one audit entry, that the key of every entry exists, and
 * that both keys of a rotation exist.
 */
function verifyKeys(tables, keys, violate) {
  const entries = groupBy(tables.audit, ({ action, target_id }) => `${action} ${target_id}`);
  for (const { target_id, action } of tables.audit) {
    if (!keys.has(target_id)) violate("half", `${action} tells of ${target_id}, which is not there`);
  }
  for (const { id, revoked_at, replaced_by_id } of tables.keys) {
    const replaced = replaced_by_id !== null;
    if (replaced && !keys.has(replaced_by_id)) violate("half", `${id} was rotated to nothing`);
    const due = {
      api_key_created: 1,
      api_key_rotated: replaced ? 1 : 0,
      api_key_revoked: revoked_at !== null && !replaced ? 1 : 0,
    };
    for (const [action, count] of Object.entries(due)) {
      const { length } = entries.of(`${action} ${id}`);
      if (length !== count) violate("half", `${id} has ${length} entries ${action} instead of ${count}`);
    }
  }
}
