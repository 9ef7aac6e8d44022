import { type EntityManager, type EntityTarget, In, type SelectQueryBuilder } from "typeorm";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { accepted, eachAccepted } from "../../database/coalesce-in-tx";
import type { Database } from "../../database/database";
import { rowsById } from "../../database/rows-by-id";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, InvalidInput } from "../../errors";
import { onceEach } from "../../idempotency/idempotency";
import { createdBetween } from "../../pagination/created-between";
import { listOfParent } from "../../pagination/list-of-parent";
import { inParts, type Part, pageByIdOfParts } from "../../pagination/page-of-parts";
import { countRows } from "../../pagination/total-count";
import { findOfCaller, partsOfAgents, scopedAgentId, scopedAgentIds } from "../agents/agent-scope";
import { assertStillAllowed, rejectionsOfCallers } from "../api-keys/assert-accepted";
import { canonicalJson } from "../configuration/document/canonical-json";
import { Contact } from "../contacts/contact.entity";
import { findContacts } from "../contacts/contact-filter";
import { Conversation } from "../conversations/conversation.entity";
import { idempotencyScope } from "../conversations/find-conversation";
import type { Candidates } from "./candidates";
import { Decision, DecisionConnection, HAS_FAILURES } from "./decision.entity";
import type { DecideInput, DecisionsArgs } from "./decision.inputs";
import type { DecisionMaker, Trial } from "./decision-maker";
import type { Planning } from "./planning";

interface Request {
  context: RequestContext;
  input: Omit<DecideInput, "dryRun" | "against" | "as">;
  trial?: Trial | undefined;
}

/** Prefixes a rejection's paths with `input`; returns other outcomes unchanged. */
const withinInput = <T>(outcome: T): T =>
  outcome instanceof InvalidInput ? (outcome.within("input") as T) : outcome;

const rejectInput = (error: unknown): never => {
  throw withinInput(error);
};

type DecisionFilter = Omit<DecisionsArgs, "agentId" | "first" | "after">;

/** A query for the decisions that match a filter; `parts` restricts it to agents or contacts. */
interface Matching {
  query: SelectQueryBuilder<Decision>;
  parts: Part[];
}

/** Returns a query for the agents' decisions that match a filter; null if none can match. */
async function matchingIn(
  reader: EntityManager,
  context: RequestContext,
  agentIds: readonly string[],
  filter: DecisionFilter,
): Promise<Matching | null> {
  const { conversationId, key, type, ruleId, outcome, version, hasFailures, since, until } = filter;
  const contacts = await findContacts(reader, context, agentIds, filter);
  if (contacts === null || (conversationId != null && !isUuid(conversationId))) return null;
  const query = reader.createQueryBuilder(Decision, "decision");
  const columns = {
    ...{ conversationId, situationKey: key, situationType: type, ruleId, outcome },
    configurationVersion: version,
  };
  for (const [name, value] of Object.entries(columns)) if (value != null) query.andWhere({ [name]: value });
  if (hasFailures != null) query.andWhere(`${hasFailures ? "" : "NOT "}(${HAS_FAILURES})`);
  createdBetween(query, { since, until });
  if (contacts !== undefined && "contactIds" in contacts)
    return { query, parts: [{ condition: "decision.contact_id IN (:...contactIds)", parameters: contacts }] };
  if (contacts !== undefined) query.andWhere(contacts.isIn("decision.contact_id"), contacts.parameters);
  return { query, parts: partsOfAgents("decision", agentIds) };
}

/** Filters with their own index. Each is ordered by ID, and so by time, which lets `since` narrow it. */
const INDEXED: readonly string[] = ["key", "contactId", "conversationId", "hasFailures"];

/** True if a page may read many index entries or rows for few matches. */
function mayReadMany({ since: _, ...filter }: DecisionFilter): boolean {
  const given = Object.entries(filter).filter(([, value]) => value != null);
  return given.length > 1 || given.some(([name, value]) => !INDEXED.includes(name) || value === false);
}

/** Submits situations to agents, and lists their decisions. */
export class DecisionService {
  /** Finds a decision by ID, without an access check. */
  readonly byId = rowsById(this.database, "decisions", Decision);
  /** Reads a page of the decisions about a contact, without an access check. */
  readonly ofContact = listOfParent(this.database, DecisionConnection, {
    what: "decisions of contacts",
    entity: Decision,
    parent: "contactId",
  });
  /** Reads a page of the decisions about a conversation, without an access check. */
  readonly ofConversation = listOfParent(this.database, DecisionConnection, {
    what: "decisions of conversations",
    entity: Decision,
    parent: "conversationId",
  });

  private readonly decideInBatch: (request: Request) => Promise<Decision>;

  constructor(
    private readonly database: Database,
    private readonly maker: DecisionMaker,
    planning: Planning,
    private readonly candidates: Candidates,
  ) {
    this.decideInBatch = database.batchFairly<Request, Decision>({
      ...planning.batchesBy(({ context }) => ownerOf(context.caller) ?? ""),
      store: (tx, requests) => this.decideEach(tx, requests),
    });
  }

  /**
   * Submits a situation to an agent, which decides and acts in one transaction, shared by concurrent calls.
   * @returns the decision; for a dry run, it has no IDs, because nothing is stored
   * @throws GatewayError `invalid_request`, `not_found` (agent, contact, conversation), `conflict`,
   *   `queue_full`, `idempotency_key_reused`; see `Candidates` for `against`
   */
  async decide(context: RequestContext, { dryRun, against, as, ...input }: DecideInput): Promise<Decision> {
    if (dryRun !== true) return this.decideInBatch({ context, input });
    const found =
      against == null
        ? undefined
        : await this.candidates.find(context, input.agentId, against).catch(rejectInput);
    return this.database.dryRun(ownerOf(context.caller) ?? "", async (tx) => {
      const trial = { against: found, as: as ?? undefined };
      const request = { context, input: { ...input, idempotencyKey: null }, trial };
      const [decision] = await this.decideEach(tx, [request]);
      if (decision instanceof Decision)
        return Object.assign(await withoutIds(tx, decision), { tried: found?.configuration });
      throw decision;
    });
  }

  /** @returns the decision, or null if the caller's agent or organization has none with this ID */
  find(context: RequestContext, id: string): Promise<Decision | null> {
    return this.database.read((reader) => findOfCaller(reader, context, Decision, id));
  }

  /**
   * Returns one page of an agent's decisions, newest first. Members may omit the agent to list all agents'.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found` (agent)
   */
  async list(
    context: RequestContext,
    { agentId, first, after, ...filter }: DecisionsArgs,
  ): Promise<DecisionConnection> {
    const page = DecisionConnection.pageOf({ first, after });
    const report = <T>(query: (reader: EntityManager) => Promise<T>) =>
      this.database.report(organizationOf(context), query);
    const find = async (reader: EntityManager) =>
      matchingIn(reader, context, await scopedAgentIds(reader, context, agentId), filter);
    const readRows = async (reader: EntityManager) => {
      const found = await find(reader);
      return found === null
        ? []
        : pageByIdOfParts(reader, found.query, found.parts, { page, direction: "DESC" });
    };
    const rows = await (mayReadMany(filter) ? report(readRows) : this.database.read(readRows));
    return new DecisionConnection(rows, page, () =>
      report(async (reader) => {
        const found = await find(reader);
        return countRows(reader, found && inParts(found.query, found.parts));
      }),
    );
  }

  private async decideEach(tx: Tx, requests: readonly Request[]): Promise<(Decision | GatewayError)[]> {
    // Keys are rechecked one by one below.
    const members = requests.flatMap(({ context }) => (context.caller.kind === "agent" ? [] : context));
    const rejectionOf = await rejectionsOfCallers(tx, members, Permission.config_manage);
    const allowed = await eachAccepted(requests, async ({ context, input: { agentId, ...input }, trial }) => {
      const rejection = rejectionOf(context);
      if (rejection !== undefined) throw rejection;
      if (context.caller.kind === "agent") await assertStillAllowed(tx, context, Permission.config_manage);
      const agent = await scopedAgentId(tx, context, agentId, "input.agentId");
      const { idempotencyKey: key, ...about } = input;
      const { situation, contact, conversationId } = about;
      const request = {
        agentId: agent,
        situation: canonicalJson(situation),
        contact: contact == null ? undefined : canonicalJson(contact),
        conversationId,
      };
      const decision = { context, agentId: agent, ...about, now: timestamp(), trial };
      const { answer } = context;
      return { scope: idempotencyScope("decide", context), key, request, answer, decision };
    });
    const decisions = await onceEach(tx, accepted(allowed), {
      create: async (fresh) => {
        const requests = fresh.map((each) => each.decision);
        const made = await this.maker.decide(tx, requests).catch(rejectInput);
        return made.map(withinInput);
      },
      find: (ids) => tx.findBy(Decision, { id: In([...ids]) }),
      idOf: ({ id }) => id,
    });
    const rest = decisions.values();
    return allowed.map((each) =>
      each instanceof GatewayError ? each : (rest.next().value as Decision | GatewayError),
    );
  }
}

/** Returns a dry-run decision without the IDs of rows that are not stored. */
async function withoutIds(tx: Tx, decision: Decision): Promise<Decision> {
  const { contactId, conversationId } = decision;
  const stored = async (entity: EntityTarget<{ id: string }>, id: string | null) =>
    id !== null && (await tx.existsBy(entity, { id })) ? id : null;
  return Object.assign(decision, {
    id: null,
    contactId: await stored(Contact, contactId),
    conversationId: await stored(Conversation, conversationId),
  });
}
