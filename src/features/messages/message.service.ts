import { type EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { allReturning } from "../../database/returning";
import { rowByKey, rowsByKey } from "../../database/rows-by-id";
import type { Lanes } from "../../delivery/lanes";
import { noSuch } from "../../errors";
import { countRows } from "../../pagination/total-count";
import type { Agent } from "../agents/agent.entity";
import { findOfCaller, scopedAgentIds } from "../agents/agent-scope";
import { recordAudit } from "../audit/audit";
import { findContacts } from "../contacts/contact-filter";
import { Line } from "../lines/line.entity";
import type { Organization } from "../organizations/organization.entity";
import { DeliveryAttempt, SHOWN_ATTEMPTS } from "./delivery-attempt.entity";
import { lineIdOf } from "./line-messages";
import { messageActions } from "./message.audit";
import { EXPIRE_AFTER_MS, IS_UNSENT, Message } from "./message.entity";
import { MessageStatus } from "./message.enums";
import { MessageConnection, type MessagesArgs } from "./message.inputs";
import { MESSAGE_LANE } from "./message-lanes";
import { messagesIn, pageOfMessages } from "./message-list";

/** Lists messages; an agent can read only its own messages. */
export class MessageService {
  /** Reads the last attempts to send a message, oldest first, without an access check. */
  readonly attemptsOf = rowsByKey(this.database, "attempts", "messageId", lastAttempts);

  /** Finds the name of a message's line, as in `lineIdOf`, without an access check. */
  readonly lineNameOf = rowByKey(this.database, "lines of messages", "id", lineNames);

  private readonly fronts = rowByKey(this.database, "messages in front", "id", unsentInFront);

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
  ) {}

  /** Returns the ID of the message that a queued message waits for, or null, without an access check. */
  async inFrontOf(message: Message): Promise<string | null> {
    return (this.mayWait(message) && (await this.fronts(message.id))?.front) || null;
  }

  /** True if a message is queued in a conversation, where another message may be ahead of it. */
  mayWait({ status, conversationId }: Message): boolean {
    return status === MessageStatus.queued && conversationId !== null;
  }

  /**
   * Returns one page of an agent's messages. API keys use their own agent; members specify one, or none for all agents.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found` (agent)
   */
  async list(
    context: RequestContext,
    { agentId, order, first, after, search, contactId, ...given }: MessagesArgs,
  ): Promise<MessageConnection> {
    const page = MessageConnection.pageOf({ first, after });
    const pageById = { ...page, after: page.after?.split(".")[0] };
    const report = <T>(query: (reader: EntityManager) => Promise<T>) =>
      this.database.report(organizationOf(context), query);
    const filterOf = async (reader: EntityManager) => {
      const agentIds = await scopedAgentIds(reader, context, agentId);
      const contacts = await findContacts(reader, context, agentIds, { search, contactId });
      return { ...given, agentIds, contacts };
    };
    const readRows = async (reader: EntityManager) =>
      pageOfMessages(reader, await filterOf(reader), pageById, order);
    const { held, lineId, statuses } = given;
    const isOfAll = agentId == null && context.caller.kind !== "agent";
    // With these filters, the query may scan many rows for few matches. A query for several statuses across
    // all agents also has many parts.
    const mayReadMany =
      [held, lineId, search, contactId].some((filter) => filter != null) || (isOfAll && statuses != null);
    const rows = await (mayReadMany ? report(readRows) : this.database.read(readRows));
    return new MessageConnection(rows, page, () =>
      report(async (reader) => countRows(reader, messagesIn(reader, await filterOf(reader)))),
    );
  }

  /** @returns the message, or null if the caller's agent or organization has none with this ID */
  find(context: RequestContext, id: string): Promise<Message | null> {
    return this.database.read((reader) => findOfCaller(reader, context, Message, id));
  }

  /**
   * Returns a message's organization. Used by the command line.
   * @throws GatewayError `not_found`
   */
  async organizationOf(id: string): Promise<Organization> {
    const message = isUuid(id)
      ? await this.database.read((reader) =>
          reader.findOne(Message, { where: { id }, relations: { agent: { organization: true } } }),
        )
      : null;
    if (message?.agent?.organization === undefined) throw noSuch("message");
    return message.agent.organization;
  }

  /**
   * Releases an agent's messages that an upgrade held back; they expire in 72 hours. Used by the command line.
   * @returns the number of released messages
   */
  async release(context: RequestContext, { id, slug, organizationId }: Agent): Promise<number> {
    // Under the migration lock, statements have no timeout; version 1 did not limit the number of messages.
    return this.database.withMigrationLock(async (tx) => {
      // Parameters are numbered in order of their first use.
      const imported = "agent_id = $2 AND status = 'queued' AND held_reason = 'imported'";
      const ids = await allReturning(
        tx,
        `INSERT INTO lane (id, agent_id, kind, wake_at)
         SELECT id, agent_id, '${MESSAGE_LANE}', $1 FROM message WHERE ${imported} RETURNING id`,
        [timestamp(), id],
      );
      if (ids.length === 0) return 0;
      this.lanes.announce(tx, { everywhere: true });
      await tx.query(`UPDATE message SET held_reason = NULL, expires_at = $1 WHERE ${imported}`, [
        timestamp(EXPIRE_AFTER_MS),
        id,
      ]);
      const target = { id, name: slug, organizationId };
      await recordAudit(tx, context, messageActions.messages_released, target, {
        released: [null, String(ids.length)],
      });
      return ids.length;
    });
  }
}

const lastAttempts = (reader: EntityManager, messageIds: readonly string[]): Promise<DeliveryAttempt[]> =>
  reader
    .createQueryBuilder(DeliveryAttempt, "attempt")
    .innerJoin("attempt.message", "message")
    .where("attempt.message_id IN (:...messageIds)", { messageIds })
    .andWhere(`attempt.number > message.attempts - ${SHOWN_ATTEMPTS}`)
    .orderBy("attempt.number")
    .getMany();

const lineNames = (
  reader: EntityManager,
  messageIds: readonly string[],
): Promise<{ id: string; name: string }[]> =>
  reader
    .createQueryBuilder(Message, "message")
    .select("message.id", "id")
    .addSelect("line.name", "name")
    .innerJoin(Line, "line", `line.id = ${lineIdOf("message")}`)
    .where("message.id IN (:...messageIds)", { messageIds })
    .getRawMany();

/** Returns the last unsent message ahead of each queued message; omits messages that have none. */
const unsentInFront = (
  reader: EntityManager,
  messageIds: readonly string[],
): Promise<{ id: string; front: string }[]> =>
  reader
    .createQueryBuilder(Message, "message")
    .select("message.id", "id")
    .addSelect("front.id", "front")
    .innerJoin(
      Message,
      "front",
      `front.conversation_id = message.conversation_id AND front.sequence = (
        SELECT max(sequence) FROM message AS earlier
        WHERE earlier.conversation_id = message.conversation_id AND earlier.sequence < message.sequence AND
          earlier.${IS_UNSENT})`,
    )
    .where("message.id IN (:...messageIds)", { messageIds })
    .andWhere("message.status = :queued", { queued: MessageStatus.queued })
    .getRawMany();
