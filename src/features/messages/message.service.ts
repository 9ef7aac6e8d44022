import { type EntityManager, In } from "typeorm";
import { agentCaller, type RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { isUuid, uuidAfter } from "../../common/uuid";
import type { Database } from "../../database/database";
import { MESSAGE_ORDER } from "../../features/messages/message.entity";
import { onceEach } from "../../idempotency/idempotency";
import { paginate } from "../../pagination/connection";
import { assertKeysAccepted } from "../api-keys/assert-accepted";
import { Message, MessageStatus } from "./message.entity";
import { MessageConnection, type MessagesArgs, type NewMessage } from "./message.inputs";

/** Messages queued for agents; an agent can read only its own. */
export class MessageService {
  private readonly add: (draft: Draft) => Promise<Message>;
  private readonly addOnce: (draft: KeyedDraft) => Promise<Message>;

  constructor(private readonly database: Database) {
    this.add = database.batchInserts((tx, drafts) => this.insert(tx, drafts));
    this.addOnce = database.batchInserts<KeyedDraft, Message>((tx, keyed) =>
      onceEach(tx, keyed, {
        create: (fresh) =>
          this.insert(
            tx,
            fresh.map(({ draft }) => draft),
          ),
        find: (ids) => tx.findBy(Message, { id: In([...ids]) }),
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
   * @throws GatewayError `idempotency_key_reused`
   */
  send(context: RequestContext, { message, idempotencyKey }: NewMessage): Promise<Message> {
    const { agent, key } = agentCaller(context);
    const draft = { agentId: agent.id, message, keyId: key.id };
    if (idempotencyKey == null) return this.add(draft);
    return this.addOnce({
      scope: `sendMessage:${agent.id}`,
      key: idempotencyKey,
      request: { message },
      draft,
    });
  }

  private async insert(tx: EntityManager, drafts: readonly Draft[]): Promise<Message[]> {
    await this.database.lockInsertOrder(tx, MESSAGE_ORDER);
    await assertKeysAccepted(
      tx,
      drafts.map(({ keyId }) => keyId),
    );
    const nextId = await idsAfterLast(tx, [...new Set(drafts.map(({ agentId }) => agentId))]);
    const createdAt = timestamp();
    const messages = drafts.map(({ agentId, message }) =>
      tx.create(Message, {
        agentId,
        message,
        id: nextId(agentId),
        status: MessageStatus.queued,
        createdAt,
      }),
    );
    await tx.createQueryBuilder().insert().into(Message).values(messages).updateEntity(false).execute();
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
