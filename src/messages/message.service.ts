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
            id: uuid(),
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
