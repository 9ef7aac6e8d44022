import type { EntityManager } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError, noSuch } from "../../errors";
import { once } from "../../idempotency/idempotency";
import { lockAgent, scopedAgentId } from "../agents/agent-scope";
import { actorOf, recordAudit } from "../audit/audit";
import type { AuditAction } from "../audit/audit-actions";
import type { Changes } from "../audit/audit-change";
import { asText, insertLine, nameTaken } from "./create-line";
import { lineActions } from "./line.audit";
import { Line, LineState } from "./line.entity";
import type { LineChanges, NewLine, PauseLineArgs } from "./line.inputs";
import { DEFAULT_EXPIRE_AFTER_SECONDS } from "./line.limits";

const REQUIRED = { permission: Permission.config_manage };

/** The lines that agents speak from. Changes of the lines of one agent run one after the other. */
export class LineService {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
  ) {}

  /**
   * The lines of the calling agent, or of the agent that a member names, ordered by name.
   * @throws GatewayError `invalid_request`, `not_found` (agent)
   */
  list(context: RequestContext, agent: string | null | undefined): Promise<Line[]> {
    return this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      return reader.find(Line, { where: { agentId }, order: { name: "ASC" } });
    });
  }

  /**
   * Creates a line; the first one of an agent becomes its default.
   * @throws GatewayError `not_found` (agent), `conflict` (name), `limit_reached`, `idempotency_key_reused`
   */
  create(context: RequestContext, input: NewLine): Promise<Line> {
    const { idempotencyKey, agentId, name, kind, ratePerMinute, expireAfterSeconds } = input;
    const organizationId = organizationOf(context);
    return this.database.write(async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const id = await scopedAgentId(tx, context, agentId, "input.agentId");
      return once(tx, {
        scope: `createLine:${actorOf(context.caller).actorId ?? organizationId}`,
        key: idempotencyKey,
        request: { agentId, name, kind, ratePerMinute, expireAfterSeconds },
        create: async () => {
          await lockAgent(tx, id);
          return insertLine(tx, context, { id, organizationId }, input);
        },
        repeat: (line) => tx.findOneByOrFail(Line, { id: line }),
        idOf: (line) => line.id,
      });
    });
  }

  /**
   * Changes the name or the limits of a line.
   * @throws GatewayError `not_found`, `conflict` (name), `version_conflict`
   */
  update(context: RequestContext, { id, expectedVersion, ...input }: LineChanges): Promise<Line> {
    return this.change(context, id, async (tx, line) => {
      if (expectedVersion != null && expectedVersion !== line.version) {
        throw new GatewayError("version_conflict", `The line is at version ${line.version}.`);
      }
      const { name = line.name, ratePerMinute = line.ratePerMinute } = input;
      const { expireAfterSeconds = line.expireAfterSeconds } = input;
      const next = {
        name,
        ratePerMinute,
        expireAfterSeconds: expireAfterSeconds ?? DEFAULT_EXPIRE_AFTER_SECONDS,
      };
      if (name !== line.name && (await tx.existsBy(Line, { agentId: line.agentId, name })))
        throw new GatewayError("conflict", nameTaken(name));
      return {
        action: lineActions.line_updated,
        change: next,
        audit: {
          name: [line.name, next.name],
          ratePerMinute: [asText(line.ratePerMinute), asText(next.ratePerMinute)],
          expireAfterSeconds: [asText(line.expireAfterSeconds), asText(next.expireAfterSeconds)],
        },
      };
    });
  }

  /**
   * Pauses a line. Pausing a paused line changes only its reason.
   * @throws GatewayError `not_found`, or `conflict` for an archived line
   */
  pause(context: RequestContext, { id, reason }: PauseLineArgs): Promise<Line> {
    return this.change(context, id, async (_, line) => {
      if (line.state === LineState.archived) throw new GatewayError("conflict", "The line is archived.");
      return stateChange(lineActions.line_paused, line, LineState.paused, reason ?? null);
    });
  }

  /**
   * Puts a paused or archived line back into use.
   * @throws GatewayError `not_found`
   */
  resume(context: RequestContext, id: string): Promise<Line> {
    return this.change(context, id, async (_, line) =>
      stateChange(lineActions.line_resumed, line, LineState.active),
    );
  }

  /**
   * Takes a line out of use.
   * @throws GatewayError `not_found`, or `conflict` for the default line
   */
  archive(context: RequestContext, id: string): Promise<Line> {
    return this.change(context, id, async (_, line) => {
      if (line.isDefault) {
        throw new GatewayError("conflict", "The default line cannot be archived. Set another default first.");
      }
      return stateChange(lineActions.line_archived, line, LineState.archived);
    });
  }

  /**
   * Makes a line the default of its agent, in place of the previous one.
   * @throws GatewayError `not_found`, or `conflict` for an archived line
   */
  setDefault(context: RequestContext, id: string): Promise<Line> {
    return this.change(context, id, async (tx, line) => {
      if (line.state === LineState.archived) throw new GatewayError("conflict", "The line is archived.");
      const previous = line.isDefault
        ? line
        : await tx.findOneBy(Line, { agentId: line.agentId, isDefault: true });
      // Before the new one is set, because the database allows one default per agent.
      if (previous !== null && !line.isDefault) await store(tx, previous, { isDefault: false });
      return {
        action: lineActions.default_line_set,
        change: { isDefault: true },
        audit: { defaultLine: [previous?.name ?? null, line.name] },
      };
    });
  }

  /**
   * Changes a line of the caller's organization and records the change; a change to what is there already does nothing.
   * @throws GatewayError `not_found`
   */
  private async change(context: RequestContext, id: string, decide: Decide): Promise<Line> {
    const organizationId = organizationOf(context);
    return this.database.write(async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const { agentId } = await ownLine(tx, organizationId, id);
      await lockAgent(tx, agentId);
      const line = await ownLine(tx, organizationId, id);
      const { action, change, audit } = await decide(tx, line);
      const isChange = Object.entries(change).some(([field, value]) => line[field as keyof Line] !== value);
      if (!isChange) return line;
      await store(tx, line, change);
      await recordAudit(tx, context, action, { id, name: line.name, organizationId }, audit);
      // The line may be what messages of the agent wait for.
      await this.lanes.wakeAgents(tx, [agentId]);
      return tx.findOneByOrFail(Line, { id });
    });
  }
}

interface LineChange {
  action: AuditAction;
  change: Partial<Line>;
  audit: Changes;
}

/** Decides on the change of a line; the row of its agent is locked. */
type Decide = (tx: EntityManager, line: Line) => Promise<LineChange>;

const stateChange = (
  action: AuditAction,
  line: Line,
  state: LineState,
  pausedReason: string | null = null,
): LineChange => ({
  action,
  change: { state, pausedReason },
  audit: { state: [line.state, state], pausedReason: [line.pausedReason, pausedReason] },
});

const store = (tx: EntityManager, { id, version }: Line, change: Partial<Line>) =>
  tx.update(Line, { id }, { ...(change as object), version: version + 1 });

async function ownLine(tx: EntityManager, organizationId: string, id: string): Promise<Line> {
  const line = isUuid(id)
    ? await tx
        .createQueryBuilder(Line, "line")
        .innerJoin("line.agent", "agent")
        .where("line.id = :id AND agent.organization_id = :organizationId", { id, organizationId })
        .getOne()
    : null;
  if (line === null) throw noSuch("line");
  return line;
}
