import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import { agentCaller, type RequestContext } from "../context";
import { type Database, OrderedList } from "../database/database";
import { paginate } from "../graphql/connection";
import { once } from "../idempotency/idempotency";
import { timestamp } from "../validation/timestamp";
import { isUuid } from "../validation/uuid";
import { MessageConnection } from "./message.connection";
import { Message, MessageStatus } from "./message.entity";
import type { MessagesArgs, NewMessage } from "./message.inputs";

/** Messages handed to agents. An agent reads back its own and no others. */
export class MessageService {
  constructor(private readonly database: Database) {}

  /** @returns one page of the agent's messages, oldest first. @throws GatewayError `invalid_cursor` */
  async list(context: RequestContext, args: MessagesArgs): Promise<MessageConnection> {
    const page = MessageConnection.pageOf(args);
    const rows = await this.database.read((reader) => {
      const query = reader.createQueryBuilder(Message, "message").where({ agentId: agentOf(context) });
      if (args.status != null) query.andWhere({ status: args.status });
      return paginate(query, page).getMany();
    });
    return new MessageConnection(rows, page);
  }

  /** @returns the message, or null when the agent has none with this id */
  async find(context: RequestContext, id: string): Promise<Message | null> {
    if (!isUuid(id)) return null;
    return this.database.read((reader) => reader.findOneBy(Message, { id, agentId: agentOf(context) }));
  }

  /** Queues a message for the agent. @throws GatewayError `idempotency_key_reused` */
  send(context: RequestContext, { message, idempotencyKey }: NewMessage): Promise<Message> {
    const agentId = agentOf(context);
    return this.database.write((tx) =>
      once(tx, {
        scope: `sendMessage:${agentId}`,
        key: idempotencyKey,
        request: { message },
        create: async () => {
          await this.database.keepOrder(tx, OrderedList.messages);
          const queued = {
            id: await nextId(tx, agentId),
            agentId,
            message,
            status: MessageStatus.queued,
            createdAt: timestamp(),
          };
          await tx.insert(Message, queued);
          return tx.create(Message, queued);
        },
        repeat: (id) => tx.findOneByOrFail(Message, { id }),
        idOf: ({ id }) => id,
      }),
    );
  }
}

const agentOf = (context: RequestContext): string => agentCaller(context).agent.id;

/** An id that sorts after all that the agent has, whatever the clocks of other processes say. */
async function nextId(tx: EntityManager, agentId: string): Promise<string> {
  const last = await tx
    .createQueryBuilder(Message, "message")
    .select("MAX(message.id)", "id")
    .where({ agentId })
    .getRawOne<{ id: string | null }>();
  const id = uuid();
  if (last?.id == null || id > last.id) return id;
  return uuid({ msecs: millisecondsOf(last.id) + 1 });
}

/** The time inside a UUID of version 7: its first 48 bits (RFC 9562, 5.7). */
const millisecondsOf = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16);
