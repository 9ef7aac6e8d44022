import { isOpen } from "./windows.mjs";

/** Max time from the opening of a window until a message that waited for it is sent (ms). */
const MAX_LATE_MS = 5_000;

/** Max delay of messages to a contact after a process was killed (ms). */
const TAKEOVER_MS = 45_000;

const PERIODS_MS = { PT2H: 2 * 3_600_000, P1D: 24 * 3_600_000 };

/** Errors of messages that may have got a new place in the order and then ended without another attempt. */
const GIVEN_UP = new Set(["opted_out", "expired", "capped"]);

/**
 * Checks the sent messages without using the service's code.
 * @param about.visited the periods when time passed normally; the time between them was skipped
 * @param about.consents the requests, with the times when they were sent and answered
 */
export function verify({ messages, attempts, events }, { conversations, visited, caps, topics, consents }) {
  const faults = {
    "outside a window": [],
    "over a cap": [],
    "out of order": [],
    "too late": [],
    "opted out": [],
  };
  const places = new Map(conversations.map((each) => [each.id, each]));
  const attemptsOf = new Map();
  for (const attempt of attempts) {
    const of = attemptsOf.get(attempt.message_id) ?? [];
    attemptsOf.set(attempt.message_id, [...of, attempt]);
  }
  const all = messages.map((message) => ({
    ...message,
    place: places.get(message.conversation_id),
    attempts: (attemptsOf.get(message.id) ?? []).sort((a, b) => a.number - b.number),
    isBound: message.author === "agent" && !message.is_urgent,
  }));
  const bound = all.filter(({ isBound, place }) => isBound && place !== undefined);

  for (const { id, place, attempts } of bound)
    for (const { started_at } of attempts)
      if (!isOpen(place.zone, Date.parse(started_at)))
        faults["outside a window"].push(`${id} at ${started_at} in ${place.zone}`);

  for (const [contactId, own] of groupBy(bound, ({ place }) => place.contactId)) {
    const sent = own.flatMap(({ id, attempts }) => {
      const last = attempts
        .filter(({ outcome }) => outcome !== "retryable" && outcome !== "permanent")
        .at(-1);
      return last === undefined
        ? []
        : [{ id, from: Date.parse(last.started_at), until: Date.parse(last.ended_at ?? last.started_at) }];
    });
    sent.sort((a, b) => a.from - b.from);
    for (const { max, within } of caps)
      for (const [i, { id, from }] of sent.entries())
        if (i >= max && from - sent[i - max].until < PERIODS_MS[within])
          faults["over a cap"].push(`${id} to ${contactId}: ${max} within ${within}`);
  }

  for (const [, own] of groupBy(all, ({ conversation_id }) => conversation_id)) {
    const sent = own.filter(
      ({ attempts, sequence, error_code }) =>
        attempts.length > 0 && sequence !== null && !GIVEN_UP.has(error_code),
    );
    sent.sort((a, b) => a.sequence - b.sequence);
    // Compares last attempts, because earlier ones belong to the place that a message had before it was rescheduled.
    for (const [i, message] of sent.entries())
      if (i > 0 && message.attempts.at(-1).started_at < sent[i - 1].attempts.at(-1).started_at)
        faults["out of order"].push(`${message.id} overtook ${sent[i - 1].id}`);
  }

  const isOut = optedOut(topics, consents);
  for (const { id, topic, place, attempts } of all)
    for (const { started_at } of attempts)
      for (const name of ["*", topic])
        if (isOut(place?.contactId, name, Date.parse(started_at)))
          faults["opted out"].push(`${id} to ${place?.contactId} at ${started_at}: ${name}`);

  const late = [];
  const ofContact = groupBy(all, ({ place }) => place?.contactId);
  for (const { id, place, conversation_id, send_at, attempts } of bound) {
    const due = Date.parse(send_at ?? "");
    const first = attempts.find(({ started_at }) => Date.parse(started_at) >= due - 100);
    if (first === undefined || !visited.some(({ from, until }) => due >= from + 6_000 && due <= until))
      continue;
    const lateMs = Date.parse(first.started_at) - due;
    // Caps concern all messages to the contact, and the order concerns all messages in the conversation.
    const disturbed = ofContact
      .get(place.contactId)
      .filter((other) => other.isBound || other.conversation_id === conversation_id)
      .some((other) =>
        other.attempts.some(
          ({ outcome, started_at }) =>
            outcome !== "accepted" &&
            Date.parse(started_at) >= due - TAKEOVER_MS &&
            Date.parse(started_at) <= Date.parse(first.started_at),
        ),
      );
    if (!disturbed) late.push(lateMs);
    if (!disturbed && lateMs > MAX_LATE_MS)
      faults["too late"].push(`${id}: ${lateMs / 1000} s after ${send_at}`);
  }
  late.sort((a, b) => a - b);
  const held = (reason) =>
    events.filter(
      ({ type, data }) => type === "message.scheduled" && JSON.parse(data).scheduledReason === reason,
    ).length;
  const count = (status) => all.filter((message) => message.status === status).length;
  return {
    faults,
    messages: all.length,
    sent: count("sent"),
    "held by windows": held("window"),
    "held by caps": held("cap"),
    "opt-outs": consents.filter(({ state, until }) => state === "out" && until < Number.POSITIVE_INFINITY)
      .length,
    "canceled by opt-outs": all.filter(({ error_code }) => error_code === "opted_out").length,
    expired: all.filter(({ error_code }) => error_code === "expired").length,
    waiting: count("scheduled"),
    attempts: attempts.length,
    "lost attempts": attempts.filter(({ code }) => code === "process_lost").length,
    "held, sent at opening": late.length,
    "of them after (ms)": `median ${late[Math.floor(late.length / 2)]}, last ${late.at(-1)}`,
  };
}

/** Returns a function that tests if a contact had certainly opted out of a topic, or of all topics (`*`), at a time. */
const optedOut = (topics, consents) => (contactId, topic, ms) => {
  const known = consents.filter((each) => each.contactId === contactId && each.topic === topic);
  const outs = known.filter(({ state, until }) => state === "out" && until < ms);
  if (topics[topic]?.default === "out") outs.push({ from: Number.NEGATIVE_INFINITY });
  // An opt-in takes effect between its request and the response.
  const isUndone = (out) =>
    known.some(({ state, from, until }) => state === "in" && from <= ms && until >= out.from);
  return outs.some((out) => !isUndone(out));
};

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
