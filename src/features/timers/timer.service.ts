import type { EntityManager } from "typeorm";
import { ownerOf } from "../../auth/caller";
import { type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import type { Lanes } from "../../delivery/lanes";
import { noSuch } from "../../errors";
import { listPage } from "../../pagination/list-page";
import { findOfCaller, scopedAgentId } from "../agents/agent-scope";
import { assertStillAllowed } from "../api-keys/assert-accepted";
import { lockSubjects } from "../contacts/known-contact";
import { Timer, TimerConnection } from "./timer.entity";
import type { TimersArgs } from "./timer.inputs";
import { cancelTimers } from "./waiting-timers";

/** Lists and cancels agents' waiting timers. */
export class TimerService {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
  ) {}

  /**
   * Returns one page of an agent's waiting timers, oldest first. API keys use their own agent; members specify one.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found` (agent)
   */
  list(context: RequestContext, { agentId, contactId, ...args }: TimersArgs): Promise<TimerConnection> {
    const matching = async (reader: EntityManager) => {
      const agent = await scopedAgentId(reader, context, agentId);
      const query = reader.createQueryBuilder(Timer, "timer");
      if (contactId == null) return query.where({ agentId: agent });
      if (!isUuid(contactId)) return null;
      // `|| ''` prevents SQLite from reading all of the agent's timers.
      return query
        .where({ subjectId: contactId, contactId })
        .andWhere("timer.agent_id || '' = :agent", { agent });
    };
    return listPage(this.database, context, TimerConnection, args, { matching });
  }

  /** @throws GatewayError `not_found`, including for a timer that has fired */
  cancel(context: RequestContext, id: string): Promise<Timer> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertStillAllowed(tx, context, Permission.conversations_write);
      const found = await findOfCaller(tx, context, Timer, id);
      if (found === null) throw noSuch("timer");
      await lockSubjects(tx, [found]);
      // The timer may have fired in the meantime.
      const timer = await tx.findOneBy(Timer, { id });
      if (timer === null) throw noSuch("timer");
      await cancelTimers(tx, this.lanes, [timer], "request");
      return timer;
    });
  }
}
