/** The event types that a message has had, by its status. */
const OF_STATUS = {
  received: ["message.received"],
  queued: ["message.queued"],
  sending: ["message.queued"],
  sent: ["message.queued", "message.sent"],
  delivered: ["message.queued", "message.delivered"],
  failed: ["message.queued", "message.failed"],
  canceled: ["message.queued", "message.canceled"],
};

/** Checks that every stored change has its events, in order and without gaps, and that no event lacks its change. */
export function verifyEvents(tables, history) {
  const { violate } = history;
  const { events, streams, messages, decisions, conversations, contacts } = tables;
  history.events = events.length;
  const last = new Map();
  const told = new Map();
  for (const { agent_id, position, type, data } of events) {
    const before = last.get(agent_id) ?? 0;
    if (Number(position) !== before + 1)
      violate("lost", `event ${position} of ${agent_id} follows ${before}`);
    last.set(agent_id, Number(position));
    const { id = agent_id } = JSON.parse(data);
    told.set(id, [...(told.get(id) ?? []), type]);
  }
  for (const stream of streams)
    if (Number(stream.last) !== last.get(stream.agent_id))
      violate("lost", `the last event of ${stream.agent_id} is not ${stream.last}`);
  const expect = (id, types) => {
    const found = told.get(id) ?? [];
    told.delete(id);
    if (JSON.stringify(found) === JSON.stringify(types)) return;
    const sort = found.length > types.length ? "doubled" : "lost";
    violate(sort, `${id} has the events ${found.join(", ")} instead of ${types.join(", ")}`);
  };
  for (const { id, status } of messages) expect(id, OF_STATUS[status]);
  for (const { id } of decisions) expect(id, ["decision.made"]);
  for (const { id } of conversations) expect(id, ["conversation.opened"]);
  for (const { id, version } of contacts) {
    const [first, ...others] = told.get(id) ?? [];
    if (first !== "contact.created") violate("lost", `${id} begins with the event ${first}`);
    if (version > 1 && others.length === 0) violate("lost", `${id} was changed without an event`);
    told.delete(id);
  }
  for (const [id, types] of told)
    if (types.some((type) => /^(message|decision|conversation|contact)\./.test(type)))
      violate("half", `${types.join(", ")} tell of ${id}, which is not there`);
}

/** Checks that every event about a contact, conversation or message reached the endpoint, in order for each subject. */
export function verifyEndpoint({ events }, { taken, counts }, { violate, endpoint }) {
  endpoint.events = taken.size;
  endpoint.requests = counts.requests;
  endpoint.repeats = counts.repeats;
  if (counts.forged > 0) violate("other", `${counts.forged} events did not verify`);
  const known = new Set(events.map(({ id }) => id));
  for (const { id, type, position } of events)
    if (/^(contact|conversation|message)\./.test(type) && !taken.has(id))
      violate("lost", `the endpoint never got event ${position}`);
  const last = new Map();
  for (const [id, { subject, position }] of taken) {
    if (!known.has(id)) violate("half", `the endpoint got the event ${id}, which is not there`);
    if (Number(position) < (last.get(subject) ?? 0)) violate("other", `event ${position} was overtaken`);
    last.set(subject, Number(position));
  }
}
