import { setTimeout } from "node:timers/promises";
import { pick } from "../../bench/random.mjs";
import { startReceiver } from "../crash/receivers.mjs";
import { ask } from "../crash/writes.mjs";

const CONVERSATIONS = 10;
const CLIENTS = 3;
const PAUSE_MS = 100;

const CREATE_LINE = "mutation ($input: CreateLineInput!) { createLine(input: $input) { signingSecret } }";
const PUT = "mutation ($input: PutContactInput!) { putContact(input: $input) { contact { id } } }";
const OPEN =
  "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { conversation { id } } }";
const SAY = `mutation ($id: ID!, $text: String!) {
  sendToConversation(input: { id: $id, text: $text, idempotencyKey: $text }) { id }
}`;

/**
 * Adds a line that sends nothing twice, and conversations on it.
 * @returns `start`, which sends messages until `stop` of its result is called, and `verify`, which compares the stored
 *   messages with the received messages
 */
export async function openWebhooks(urls, { session, agentId, key }, history, random) {
  const receiver = await startReceiver(random, { isBusy: false });
  const settings = { webhook: { url: receiver.url, addressKind: "phone" } };
  const input = { agentId, name: "once", settings, whenUncertain: "fail" };
  receiver.expect((await ask(urls[0], session, CREATE_LINE, { input })).createLine.signingSecret);
  const conversations = [];
  for (let i = 0; i < CONVERSATIONS; i += 1) {
    const addresses = [{ kind: "phone", address: `+49151${10_000_000 + i}` }];
    const { contact } = (await ask(urls[0], key, PUT, { input: { addresses } })).putContact;
    const { openConversation } = await ask(urls[0], key, OPEN, {
      input: { contact: { id: contact.id }, line: { name: "once" } },
    });
    conversations.push(openConversation.conversation.id);
  }
  for (const id of conversations) history.toWebhooks.add(id);

  let number = 0;
  const accepted = new Map();
  /** Repeats unanswered requests, which changes nothing if they were accepted. */
  const say = async () => {
    const id = pick(random, conversations);
    number += 1;
    const text = `webhook ${number}`;
    for (;;) {
      const said = await ask(pick(random, urls), key, SAY, { id, text }).catch(() => undefined);
      if (said !== undefined) return accepted.set(said.sendToConversation.id, text);
      await setTimeout(PAUSE_MS);
    }
  };
  return {
    counts: receiver.counts,
    accepted,
    start() {
      let stopped = false;
      const client = async () => {
        while (!stopped) {
          await say();
          await setTimeout(PAUSE_MS);
        }
      };
      const clients = Array.from({ length: CLIENTS }, client);
      return {
        async stop() {
          stopped = true;
          await Promise.all(clients);
        },
      };
    },
    /** @returns the number of messages that failed as uncertain */
    verify({ messages }, violate) {
      const stored = new Map(messages.map((message) => [message.id, message]));
      for (const [id, text] of accepted)
        if (!stored.has(id)) violate("lost", `${text} was accepted as ${id}`);
      let uncertain = 0;
      for (const { id, message, status, conversation_id } of messages) {
        if (!history.toWebhooks.has(conversation_id)) continue;
        if (status === "sent" && !receiver.taken.has(id)) violate("lost", `${message} did not arrive`);
        if (!accepted.has(id)) violate("doubled", `${message} is there under an ID that was not answered`);
        if (status === "failed") uncertain += 1;
      }
      for (const [id, requests] of receiver.requestsOf)
        if (requests > 1) violate("doubled", `${id} was sent ${requests} times`);
      return uncertain;
    },
    close: receiver.close,
  };
}
