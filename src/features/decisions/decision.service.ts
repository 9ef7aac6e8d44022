import type { EntityManager } from "typeorm";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import { InvalidInput } from "../../errors";
import { once } from "../../idempotency/idempotency";
import { pageOfRows } from "../../pagination/connection";
import { countRows } from "../../pagination/total-count";
import { scopedAgentId } from "../agents/agent-scope";
import { assertStillAllowed } from "../api-keys/assert-accepted";
import { canonicalJson } from "../configuration/document/canonical-json";
import { Contact } from "../contacts/contact.entity";
import { Conversation } from "../conversations/conversation.entity";
import { idempotencyScope } from "../conversations/own-conversation";
import { DecisionConnection } from "./decision.connection";
import { Decision } from "./decision.entity";
import type { DecideInput, DecisionsArgs } from "./decision.inputs";
import type { DecisionMaker } from "./decision-maker";
import { findDecision } from "./own-decision";

/** Ends the transaction of a dry run. */
class DryRun extends Error {
  constructor(readonly decision: Decision) {
    super("a dry run stores nothing");
  }
}

/** The decisions of agents. */
export class DecisionService {
  constructor(
    private readonly database: Database,
    private readonly maker: DecisionMaker,
  ) {}

  /**
   * Hands a situation to an agent, which decides what to do and does it in one transaction.
   * @returns the decision; with a dry run one without IDs, of which nothing is stored
   * @throws GatewayError `invalid_request`, `not_found` (agent, contact, conversation), `conflict`, `queue_full`,
   *   `idempotency_key_reused`
   */
  async decide(context: RequestContext, { dryRun, ...input }: DecideInput): Promise<Decision> {
    if (dryRun !== true)
      return this.database.writeFor(ownerOf(context.caller), (tx) => this.decideOnce(tx, context, input), {
        isRepeated: true,
      });
    try {
      return await this.database.writeFor(ownerOf(context.caller), async (tx) => {
        throw new DryRun(await this.decideOnce(tx, context, { ...input, idempotencyKey: null }, true));
      });
    } catch (error) {
      if (error instanceof DryRun) return this.withoutIds(error.decision);
      throw error;
    }
  }

  /** @returns the decision, or null if the caller's agent, or a member's organization, has none with this ID */
  find(context: RequestContext, id: string): Promise<Decision | null> {
    return this.database.read((reader) => findDecision(reader, context, id));
  }

  /**
   * One page of the decisions of the calling agent, or of the agent that a member names, newest first.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found` (agent)
   */
  async list(
    context: RequestContext,
    { agentId, conversationId, contactId, outcome, ...args }: DecisionsArgs,
  ): Promise<DecisionConnection> {
    const page = DecisionConnection.pageOf(args);
    const matching = async (reader: EntityManager) => {
      const query = reader
        .createQueryBuilder(Decision, "decision")
        .where({ agentId: await scopedAgentId(reader, context, agentId) });
      for (const [name, id] of Object.entries({ conversationId, contactId })) {
        if (id == null) continue;
        if (!isUuid(id)) return null;
        query.andWhere({ [name]: id });
      }
      if (outcome != null) query.andWhere({ outcome });
      return query;
    };
    const report = <T>(query: (reader: EntityManager) => Promise<T>) =>
      this.database.report(organizationOf(context), query);
    const readPage = async (reader: EntityManager) => pageOfRows(await matching(reader), page, "DESC");
    // An outcome that few decisions have reads many rows.
    const rows = await (outcome == null ? this.database.read(readPage) : report(readPage));
    return new DecisionConnection(rows, page, () =>
      report(async (reader) => countRows(reader, await matching(reader))),
    );
  }

  private async decideOnce(
    tx: Tx,
    context: RequestContext,
    { agentId, idempotencyKey, situation, contact, conversationId }: DecideInput,
    isDryRun = false,
  ): Promise<Decision> {
    await assertStillAllowed(tx, context, Permission.config_manage);
    const agent = await scopedAgentId(tx, context, agentId, "input.agentId");
    return once(tx, {
      scope: idempotencyScope("decide", context),
      key: idempotencyKey,
      request: {
        agentId: agent,
        situation: canonicalJson(situation),
        contact: contact == null ? undefined : canonicalJson(contact),
        conversationId,
      },
      create: () => this.decideNow(tx, context, agent, { situation, contact, conversationId, isDryRun }),
      repeat: (id) => tx.findOneByOrFail(Decision, { id }),
      idOf: ({ id }) => id,
    });
  }

  /** A decision without the IDs of what a dry run does not store. */
  private withoutIds(decision: Decision): Promise<Decision> {
    const { contactId, conversationId, explanation } = decision;
    return this.database.read(async (reader) =>
      Object.assign(decision, {
        id: null,
        contactId:
          contactId !== null && (await reader.existsBy(Contact, { id: contactId })) ? contactId : null,
        conversationId:
          conversationId !== null && (await reader.existsBy(Conversation, { id: conversationId }))
            ? conversationId
            : null,
        explanation: explanation && {
          ...explanation,
          effects: explanation.effects.map((effect) => ({ ...effect, messageId: null })),
        },
      }),
    );
  }

  private async decideNow(
    tx: Tx,
    context: RequestContext,
    agentId: string,
    handed: Pick<DecideInput, "situation" | "contact" | "conversationId"> & { isDryRun: boolean },
  ): Promise<Decision> {
    try {
      return await this.maker.decide(tx, context, agentId, { ...handed, now: timestamp() });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      throw error.within("input");
    }
  }
}
