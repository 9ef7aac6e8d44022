import { type EntityManager, In } from "typeorm";
import { agentCaller, type RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { isUuid, uuidAfter } from "../../common/uuid";
import type { Database } from "../../database/database";
import { allReturning } from "../../database/returning";
import { LaneKind } from "../../delivery/lane.entity";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError } from "../../errors";
import { onceEach } from "../../idempotency/idempotency";
import { paginate } from "../../pagination/connection";
import type { Agent } from "../agents/agent.entity";
import { assertKeysAccepted } from "../api-keys/assert-accepted";
import { recordAudit } from "../audit/audit";
import { messageActions } from "./message.audit";
import { EXPIRE_AFTER_MS, MESSAGE_ORDER, Message, MessageError, MessageStatus } from "./message.entity";
import { MessageConnection, type MessagesArgs, type NewMessage } from "./message.inputs";

/** Messages queued for agents; an agent can read only its own. */
export class MessageService {
  private readonly add: (draft: Draft) => Promise<Message>;
  private readonly addOnce: (draft: KeyedDraft) => Promise<Message>;

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
  ) {
    this.add = database.batchInserts((tx, drafts) => this.insert(tx, drafts));
    this.addOnce = database.batchInserts<KeyedDraft, Message>((tx, keyed) =>
      onceEach(tx, keyed, {
        create: (fresh) =>
          this.insert(
            tx,
            fresh.map(({ draft }) => draft),
          ),
        // A repeat gets the answer of the first request, also when the message has been delivered since.
        find: async (ids) => (await tx.findBy(Message, { id: In([...ids]) })).map(asAccepted),
        idOf: ({ id }) => id,
      }),
    );
  }

  /**
   * One page of the agent's messages, oldest first.
   * @throws GatewayError `invalid_cursor`
   */
  async list(context: RequestContext, args: MessagesArgs): Promise<MessageConnection> {
    const page = MessageConnection.pageOf(args);
    const rows = await this.database.read((reader) => {
      const query = reader.createQueryBuilder(Message, "message").where({ agentId: agentOf(context) });
      if (args.status != null) query.andWhere({ status: args.status });
      return paginate(query, page).getMany();
    });
    return new MessageConnection(rows, page);
  }

  /** @returns the message, or null if the agent has no message with this ID */
  async find(context: RequestContext, id: string): Promise<Message | null> {
    if (!isUuid(id)) return null;
    return this.database.read((reader) => reader.findOneBy(Message, { id, agentId: agentOf(context) }));
  }

  /**
   * Queues a message for the agent.
   * @returns the message as it was accepted, also for a repeat with the same idempotency key
   * @throws GatewayError `idempotency_key_reused`
   */
  async send(context: RequestContext, { message, idempotencyKey }: NewMessage): Promise<Message> {
    const { agent, key } = agentCaller(context);
    const draft = { agentId: agent.id, message, keyId: key.id };
    const accepted =
      idempotencyKey == null
        ? await this.add(draft)
        : await this.addOnce({
            scope: `sendMessage:${agent.id}`,
            key: idempotencyKey,
            request: { message },
            draft,
          });
    this.lanes.notify();
    return accepted;
  }

  /**
   * Cancels a message that has not been sent.
   * @throws GatewayError `not_found`, or `conflict` that names the status of a message that is not queued
   */
  cancel(context: RequestContext, id: string): Promise<Message> {
    const { agent, key } = agentCaller(context);
    if (!isUuid(id)) throw new GatewayError("not_found", "The agent has no such message.");
    return this.database.write(async (tx) => {
      await this.lanes.lock(tx, id);
      const message = await tx.findOneBy(Message, { id, agentId: agent.id });
      if (message === null) throw new GatewayError("not_found", "The agent has no such message.");
      await assertKeysAccepted(tx, [key.id]);
      if (message.status !== MessageStatus.queued) {
        throw new GatewayError(
          "conflict",
          `The message is ${message.status}; only a queued one can be canceled.`,
        );
      }
      const canceled = { status: MessageStatus.canceled, errorCode: MessageError.canceled, heldReason: null };
      await tx.update(Message, { id }, canceled);
      await this.lanes.end(tx, [id]);
      return tx.merge(Message, message, canceled);
    });
  }

  /**
   * Releases the messages of an agent that an earlier version queued and an upgrade has held back, for the command line.
   * They may be sent within 72 hours from now.
   * @returns their number
   */
  async release(context: RequestContext, { id, slug, organizationId }: Agent): Promise<number> {
    const released = await this.database.write(
      async (tx) => {
        // Parameters are numbered in the order of their first use.
        const imported = "agent_id = $2 AND status = 'queued' AND held_reason = 'imported'";
        const ids = await allReturning(
          tx,
          `INSERT INTO lane (id, agent_id, kind, wake_at)
           SELECT id, agent_id, '${LaneKind.message}', $1 FROM message WHERE ${imported} RETURNING id`,
          [timestamp(), id],
        );
        if (ids.length === 0) return 0;
        await tx.query(`UPDATE message SET held_reason = NULL, expires_at = $1 WHERE ${imported}`, [
          timestamp(EXPIRE_AFTER_MS),
          id,
        ]);
        const target = { id, name: slug, organizationId };
        await recordAudit(tx, context, messageActions.messages_released, target, {
          released: [null, String(ids.length)],
        });
        return ids.length;
      },
      { background: true },
    );
    this.lanes.notify();
    return released;
  }

  private async insert(tx: EntityManager, drafts: readonly Draft[]): Promise<Message[]> {
    await this.database.lockInsertOrder(tx, MESSAGE_ORDER);
    await assertKeysAccepted(
      tx,
      drafts.map(({ keyId }) => keyId),
    );
    const nextId = await idsAfterLast(tx, [...new Set(drafts.map(({ agentId }) => agentId))]);
    const createdAt = timestamp();
    const expiresAt = timestamp(EXPIRE_AFTER_MS);
    const messages = drafts.map(({ agentId, message }) =>
      tx.create(Message, {
        agentId,
        message,
        id: nextId(agentId),
        status: MessageStatus.queued,
        createdAt,
        expiresAt,
      }),
    );
    await tx.createQueryBuilder().insert().into(Message).values(messages).updateEntity(false).execute();
    await this.lanes.add(
      tx,
      messages.map(({ id, agentId }) => ({ id, agentId, kind: LaneKind.message })),
    );
    return messages;
  }
}

type Draft = Pick<Message, "agentId" | "message"> & { keyId: string };

/** A message with an idempotency key. */
interface KeyedDraft {
  scope: string;
  key: string;
  request: { message: string };
  draft: Draft;
}

/** A message as it was when it was accepted. */
const asAccepted = (message: Message): Message => ({
  ...message,
  status: MessageStatus.queued,
  heldReason: null,
  errorCode: null,
  sentAt: null,
  deliveredAt: null,
});

const agentOf = (context: RequestContext): string => agentCaller(context).agent.id;

/** Generates IDs that sort after all messages of an agent, even if the clocks of the processes differ. */
async function idsAfterLast(
  tx: EntityManager,
  agentIds: readonly string[],
): Promise<(agentId: string) => string> {
  const rows = await tx
    .createQueryBuilder(Message, "message")
    .select("message.agent_id", "agentId")
    .addSelect("MAX(message.id)", "id")
    .where("message.agent_id IN (:...agentIds)", { agentIds })
    .groupBy("message.agent_id")
    .getRawMany<{ agentId: string; id: string }>();
  const last = new Map(rows.map(({ agentId, id }) => [agentId, id]));
  return (agentId) => {
    const id = uuidAfter(last.get(agentId));
    last.set(agentId, id);
    return id;
  };
}
