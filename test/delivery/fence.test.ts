import type { ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { In } from "typeorm";
import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Message } from "../../src/features/messages/message.entity";
import { HeldReason, MessageError, MessageStatus } from "../../src/features/messages/message.enums";
import { signingSecretOf } from "../../src/instance-key/signing-secrets";
import { addContact } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { type GatewayOptions, startGateway } from "../support/gateway";
import { addWebhookLine } from "../support/lines";
import { codeOf, firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";
import { waitUntil } from "../support/wait-until";

/** Number of random changes; `ROUNDS=1000 npx jest test/delivery/fence.test.ts` makes more. */
const ROUNDS = Number(process.env.ROUNDS ?? cases(60));

const CONVERSATIONS = 4;

const SENDS = {
  env: { DELIVERY_WORKERS: "8", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" },
} satisfies GatewayOptions;

jest.setTimeout(60_000 + ROUNDS * 2_000);

/** A message that a receiver got. */
interface Arrival {
  id: string;
  line: string;
  at: number;
}

/** An acknowledged change to a conversation. */
interface Change {
  startedAt: number;
  /** Time of the response. */
  at: number;
  line: string;
  version: number;
  /** Messages accepted before the change. After it, they may be sent only on `line`. */
  accepted: readonly string[];
  canceled: readonly string[];
  /** True if a message in flight is not sent again. */
  cancels: boolean;
  inFlight: string | null;
}

const any = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item;

describeGateway(SENDS, (gateway, engine) => {
  test("two processes that send, move, hand off and close at random never send a message that a change has fenced off", async () => {
    const agentId = await firstAgentId(gateway);
    const other = await startGateway(engine, { ...SENDS, database: { url: gateway.databaseUrl } });
    const apis = [conversationClient(gateway), conversationClient(other, gateway.key)] as const;
    const arrivals: Arrival[] = [];
    const receivers = [await Receiver.start(), await Receiver.start(), await Receiver.start()];
    let isCalm = false;
    const lines: string[] = [];
    const problems: string[] = [];
    for (const receiver of receivers) {
      const line = await addWebhookLine(gateway, { agentId, url: receiver.url() });
      lines.push(line.name);
      const webhook = new Webhook(signingSecretOf(line, await gateway.services.instanceKey.current()));
      receiver.reaction = (response) => {
        const { headers, body } = receiver.received.at(-1) as {
          headers: Record<string, string>;
          body: string;
        };
        const { id } = webhook.verify(body, headers) as { id: string };
        arrivals.push({ id, line: line.name, at: performance.now() });
        react(response, isCalm ? 1 : Math.random());
      };
    }

    /**
     * Sends messages in one conversation at random, and changes it.
     * @returns the IDs of its conversations and all changes
     */
    const converse = async () => {
      const address = `+49152${String(Math.random()).slice(2, 10)}`;
      const contactId = await addContact(gateway, {
        agentId,
        addresses: [{ kind: AddressKind.phone, address }],
      });
      let line = any(lines);
      const open = async () => {
        const { body } = await any(apis).open({ contact: { id: contactId }, line });
        return body.data.openConversation.conversation.id as string;
      };
      const ids = [await open()];
      const changes = new Map([[ids[0] as string, [] as Change[]]]);
      const accepted = new Map([[ids[0] as string, [] as string[]]]);
      const send = async (id: string, text: string) => {
        const { body } = await any(apis).send(id, text);
        accepted.get(id)?.push(body.data.sendToConversation.id);
      };
      for (let round = 0; round < ROUNDS / CONVERSATIONS; round++) {
        const id = ids.at(-1) as string;
        for (let i = 0; i < 1 + Math.random() * 3; i++) await send(id, `${round} ${i}`);
        const before = [...(accepted.get(id) as string[])];
        const concurrent = Math.random() < 0.5 ? send(id, `${round} at the same time`) : undefined;
        const startedAt = performance.now();
        const kind = any(["move", "move", "move", "handOff", "release", "close"] as const);
        const pending = any(["cancel", "carry"]);
        const reply =
          kind === "move"
            ? await any(apis).move(id, { line: any(lines), pending })
            : await any(apis)[kind](id);
        const at = performance.now();
        // A message that is sent while the conversation is being closed may be rejected.
        await concurrent?.catch(() => undefined);
        if (codeOf(reply) !== undefined) {
          problems.push(`${kind} was rejected: ${reply.text}`);
          continue;
        }
        const answer = reply.body.data[`${kind}Conversation`];
        const cancels =
          kind === "close" || (kind === "move" && pending === "cancel" && line !== answer.conversation.line);
        line = answer.conversation.line;
        changes.get(id)?.push({
          startedAt,
          at,
          line,
          version: answer.conversation.version,
          accepted: before,
          canceled: answer.canceled,
          cancels,
          inFlight: answer.inFlight,
        });
        if (kind === "close") {
          const next = await open();
          ids.push(next);
          changes.set(next, []);
          accepted.set(next, []);
        }
        if (Math.random() < 0.3) await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
      }
      return { ids, changes };
    };

    try {
      const all = await Promise.all(Array.from({ length: CONVERSATIONS }, converse));
      isCalm = true;
      const ids = all.flatMap((each) => each.ids);
      const stored = () =>
        gateway.services.database.read((reader) =>
          reader
            .createQueryBuilder(Message, "message")
            .where("message.conversation_id IN (:...ids)", { ids })
            .orderBy("message.conversation_id")
            .addOrderBy("message.sequence")
            .getMany(),
        );
      const isUnsent = ({ status }: Message) =>
        status === MessageStatus.queued || status === MessageStatus.sending;
      await waitUntil(async () => {
        if (!(await stored()).some(isUnsent)) return true;
        // Makes the next attempts due.
        await gateway.services.database.write(async (tx) => {
          const past = timestamp(-1);
          const free = tx.createQueryBuilder(Lane, "lane").where("lane.lease IS NULL").orderBy("lane.id");
          const lanes = await tx.lock(free, { skipLocked: true }).getMany();
          const conversationId = In(lanes.map(({ id }) => id));
          await tx.update(Message, { conversationId, heldReason: HeldReason.retry }, { notBefore: past });
          await tx.update(Lane, { id: conversationId }, { wakeAt: past });
        });
        gateway.services.lanes.notify();
        return false;
      });
      const messages = await stored();
      const byId = new Map(messages.map((message) => [message.id, message]));
      const first = new Map<string, Arrival>();
      for (const arrival of arrivals) if (!first.has(arrival.id)) first.set(arrival.id, arrival);

      for (const { id, status, errorCode } of messages) {
        if (status === MessageStatus.sent) {
          if (!first.has(id)) problems.push(`${id} is sent, but did not arrive`);
        } else if (status !== MessageStatus.canceled || errorCode === null)
          problems.push(`${id} is ${status} (${errorCode})`);
        else if (errorCode !== MessageError.moved && errorCode !== MessageError.closed)
          problems.push(`${id} was canceled by ${errorCode}`);
      }
      for (const { changes } of all)
        for (const [conversation, made] of changes)
          for (const change of made) {
            const accepted = new Set(change.accepted);
            /** Messages that arrived after the change on a line that no change moved them to. */
            const late: string[] = [];
            for (const { id, line, at } of arrivals) {
              if (!accepted.has(id) || at <= change.at) continue;
              const isOnItsWay = made.some(
                (later) => later.at >= change.at && later.startedAt <= at && later.line === line,
              );
              const isCanceled = change.canceled.includes(id) || (change.cancels && id === change.inFlight);
              if (!isOnItsWay || isCanceled) late.push(id);
            }
            if (late.length > (change.inFlight === null ? 0 : 1) || late.some((id) => id !== change.inFlight))
              problems.push(`${late} left ${conversation} after it was on ${change.line}`);
          }
      for (const { ids: own } of all)
        for (const conversation of own) {
          const order = [...first.values()]
            .map(({ id }) => byId.get(id) as Message)
            .filter(({ conversationId }) => conversationId === conversation)
            .map(({ sequence }) => sequence as number);
          if (order.some((sequence, i) => i > 0 && sequence < (order[i - 1] as number)))
            problems.push(`${conversation} arrived as ${order.join(" ")}`);
        }
      expect(problems).toEqual([]);
      const count = (status: MessageStatus) => messages.filter((each) => each.status === status).length;
      expect(count(MessageStatus.sent)).toBeGreaterThan(0);
      expect(count(MessageStatus.sent) + count(MessageStatus.canceled)).toBe(messages.length);
      if (process.env.ROUNDS)
        console.log(
          `${messages.length} messages, ${arrivals.length} requests, ${count(MessageStatus.canceled)} canceled, ` +
            `${all.reduce((sum, { changes }) => sum + [...changes.values()].flat().length, 0)} changes, ` +
            `${all.flatMap(({ changes }) => [...changes.values()].flat()).filter(({ inFlight }) => inFlight !== null).length} named one in flight`,
        );
    } finally {
      await other.close();
      for (const receiver of receivers) await receiver.close();
    }
  });
});

/**
 * Responds with success or failure, breaks the connection, or is slow.
 * @param chance from 0 to 1
 */
function react(response: ServerResponse, chance: number): void {
  if (chance < 0.1) response.writeHead(503).end();
  else if (chance < 0.2) response.destroy();
  else if (chance < 0.6) setTimeout(() => response.end(), Math.random() * 400);
  else response.end();
}
