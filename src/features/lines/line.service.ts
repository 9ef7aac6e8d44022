// One class, because all changes are serialized and follow the same steps.

import { In, IsNull, Not } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import type { Database } from "../../database/database";
import { rowsById, rowsByKey } from "../../database/rows-by-id";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import type { Targets } from "../../delivery/targets";
import { GatewayError } from "../../errors";
import { once } from "../../idempotency/idempotency";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import { secretRotation, signingSecretOf } from "../../instance-key/signing-secrets";
import type { HookRegistry } from "../../schema/hooks";
import { lockAgent, scopedAgentId } from "../agents/agent-scope";
import { actorOf, recordAudit } from "../audit/audit";
import type { AuditAction } from "../audit/audit-actions";
import type { Changes } from "../audit/audit-change";
import { recordEvents } from "../events/record-events";
import { insertLine, kindAndSettingsOf, nameTaken } from "./create-line";
import { requireLine } from "./find-line";
import { auditOf, lineActions } from "./line.audit";
import { Line, LineKind, LineState } from "./line.entity";
import type {
  CreateLineInput,
  LineWithSecret,
  PauseLineInput,
  RotateLineSecretInput,
  UpdateLineInput,
} from "./line.inputs";
import { auditOfPassword, changedFields } from "./line-changes";
import { lineEvents } from "./line-events";
import type { LineFault } from "./line-fault";
import { LineTraffic } from "./line-traffic.entity";
import { TargetChecks } from "./target-checks";

declare module "../../schema/hooks" {
  interface Hooks {
    /** Runs in the transaction that changes a line's delivery settings, while no deliverer works for the agent. */
    deliverySettingsChanged: (tx: Tx, line: Line) => Promise<void>;
  }
}

const REQUIRED = { permission: Permission.config_manage };

/** Manages agents' lines. */
export class LineService {
  /** Finds a line by ID, without an access check. */
  readonly byId = rowsById(this.database, "lines", Line);
  /** Reads an agent's lines, ordered by name, without an access check. */
  readonly ofAgent = rowsByKey(this.database, "lines of agents", "agentId", (reader, ids) =>
    reader.find(Line, { where: { agentId: In(ids) }, order: { name: "ASC" } }),
  );

  /** Finds the fault that keeps a line from sending, without an access check. */
  readonly faultOf: (id: string) => Promise<LineFault | undefined>;

  private readonly targetChecks: TargetChecks;

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    targets: Targets,
    private readonly instanceKey: InstanceKeyService,
    private readonly hooks: HookRegistry,
  ) {
    this.targetChecks = new TargetChecks(targets);
    this.faultOf = database.coalesceByKey("faults of lines", async (ids) => {
      const rows = await database.read((reader) =>
        reader.findBy(LineTraffic, { lineId: In(ids), faultSince: Not(IsNull()) }),
      );
      return new Map(
        rows.map(({ lineId, faultCode, faultDetail, faultSince }) => [
          lineId,
          { code: faultCode ?? "", detail: faultDetail ?? "", since: faultSince ?? "" },
        ]),
      );
    });
  }

  /**
   * Returns an agent's lines, ordered by name. API keys use their own agent; members specify one.
   * @throws GatewayError `invalid_request`, `not_found` (agent)
   */
  list(context: RequestContext, agent: string | null | undefined): Promise<Line[]> {
    return this.database.read(async (reader) => {
      const agentId = await scopedAgentId(reader, context, agent);
      return reader.find(Line, { where: { agentId }, order: { name: "ASC" } });
    });
  }

  /**
   * Creates a line; an agent's first line becomes its default.
   * @returns the line with its signing secret, which is omitted for a retry with the same idempotency key
   * @throws GatewayError `invalid_request`, `not_found` (agent), `conflict` (name, instance key), `limit_reached`,
   *   `idempotency_key_reused`
   */
  async create(
    context: RequestContext,
    { idempotencyKey, ...given }: CreateLineInput,
  ): Promise<LineWithSecret> {
    const organizationId = organizationOf(context);
    const input = await this.targetChecks.ofNew(given);
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const id = await scopedAgentId(tx, context, input.agentId, "input.agentId");
      return once(tx, {
        scope: `createLine:${actorOf(context.caller).actorId ?? organizationId}`,
        answer: context.answer,
        key: idempotencyKey,
        request: await this.requestOf(tx, input),
        create: async () => {
          await lockAgent(tx, id);
          return insertLine(tx, context, { id, organizationId }, input, this.instanceKey);
        },
        repeat: async (line) => ({
          line: await tx.findOneByOrFail(Line, { id: line }),
          signingSecret: null,
        }),
        idOf: ({ line }) => line.id,
      });
    });
  }

  /** Returns the fields that identify a request to create a line; the password is hashed. */
  private async requestOf(tx: Tx, input: Omit<CreateLineInput, "idempotencyKey">) {
    const { agentId, name, ratePerMinute, expireAfterSeconds, whenUncertain, optOutReply, optOutWords } =
      input;
    const { kind, settings } = kindAndSettingsOf(input);
    const password = input.settings?.email?.password;
    return {
      ...{ agentId, name, kind, ratePerMinute, expireAfterSeconds, whenUncertain, optOutReply, optOutWords },
      // Omitted for a local line, so that retries match requests recorded by earlier versions.
      settings: kind === LineKind.local ? undefined : settings,
      password: password == null ? undefined : (await this.instanceKey.required(tx)).hash(password),
    };
  }

  /**
   * Changes the name or settings of a line.
   * @throws GatewayError `invalid_request`, `not_found`, `conflict` (name, instance key), `version_conflict`
   */
  async update(context: RequestContext, { id, expectedVersion, ...given }: UpdateLineInput): Promise<Line> {
    const before = await this.database.read((reader) => requireLine(reader, organizationOf(context), id));
    const input = await this.targetChecks.ofChanges(before, given);
    const password = input.email?.password;
    return this.change(context, id, async (tx, line) => {
      if (expectedVersion != null && expectedVersion !== line.version) {
        throw new GatewayError("version_conflict", `The line is at version ${line.version}.`);
      }
      const next = changedFields(line, input);
      const { name } = next;
      if (name !== line.name && (await tx.existsBy(Line, { agentId: line.agentId, name })))
        throw new GatewayError("conflict", nameTaken(name));
      const isCleared =
        line.email?.hasPassword === true && !Object.assign(new Line(), line, next).email?.hasPassword;
      return {
        action: lineActions.line_updated,
        change: {
          ...next,
          ...(password != null && { credentials: (await this.instanceKey.required(tx)).seal(password, id) }),
          ...(isCleared && { credentials: null }),
        },
        areSettingsChanged:
          password != null || JSON.stringify(next.settings) !== JSON.stringify(line.settings),
        audit: {
          ...auditOf(line, Object.assign(new Line(), line, next)),
          ...auditOfPassword(line, input.email, next),
        },
      };
    });
  }

  /**
   * Creates a new signing secret for a line. The previous secret remains valid for a day.
   * @returns the line with the secret, which is omitted for a retry with the same idempotency key
   * @throws GatewayError `not_found`, `idempotency_key_reused`, or `conflict` if the instance key is missing
   */
  rotateSecret(
    context: RequestContext,
    { id, idempotencyKey }: Pick<RotateLineSecretInput, "id"> & Partial<RotateLineSecretInput>,
  ): Promise<LineWithSecret> {
    const organizationId = organizationOf(context);
    const decide: Decide = async (_, line) => ({
      action: lineActions.line_secret_rotated,
      ...secretRotation(line),
    });
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      return once<LineWithSecret>(tx, {
        scope: `rotateLineSecret:${actorOf(context.caller).actorId ?? organizationId}`,
        answer: context.answer,
        key: idempotencyKey,
        request: { id },
        create: async () => {
          const line = await this.change(context, id, decide, tx);
          return { line, signingSecret: signingSecretOf(line, await this.instanceKey.required(tx)) };
        },
        repeat: async () => ({ line: await requireLine(tx, organizationId, id), signingSecret: null }),
        idOf: ({ line }) => line.id,
      });
    });
  }

  /**
   * Pauses a line. Pausing a paused line changes only its reason.
   * @throws GatewayError `not_found`, or `conflict` for an archived line
   */
  pause(context: RequestContext, { id, reason }: PauseLineInput): Promise<Line> {
    return this.change(context, id, async (_, line) => {
      if (line.state === LineState.archived) throw new GatewayError("conflict", "The line is archived.");
      return stateChange(lineActions.line_paused, line, LineState.paused, reason ?? null);
    });
  }

  /**
   * Resumes a paused or archived line.
   * @throws GatewayError `not_found`
   */
  resume(context: RequestContext, id: string): Promise<Line> {
    return this.change(context, id, async (_, line) =>
      stateChange(lineActions.line_resumed, line, LineState.active),
    );
  }

  /**
   * Archives a line, so that it is no longer used.
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
   * Makes a line the agent's default line, replacing the previous default.
   * @throws GatewayError `not_found`, or `conflict` for an archived line
   */
  setDefault(context: RequestContext, id: string): Promise<Line> {
    return this.change(context, id, async (tx, line) => {
      if (line.state === LineState.archived) throw new GatewayError("conflict", "The line is archived.");
      const previous = line.isDefault
        ? line
        : await tx.findOneBy(Line, { agentId: line.agentId, isDefault: true });
      // Unsets the previous default first, because the database allows only one per agent.
      if (previous !== null && !line.isDefault) await store(tx, previous, { isDefault: false });
      return {
        action: lineActions.default_line_set,
        change: { isDefault: true },
        audit: { defaultLine: [previous?.name ?? null, line.name] },
      };
    });
  }

  /**
   * Changes a line in the caller's organization and records any change. Runs in `tx` if given.
   * @throws GatewayError `not_found`
   */
  private async change(context: RequestContext, id: string, decide: Decide, tx?: Tx): Promise<Line> {
    const organizationId = organizationOf(context);
    const unit = async (tx: Tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const { agentId } = await requireLine(tx, organizationId, id);
      await lockAgent(tx, agentId);
      const line = await requireLine(tx, organizationId, id);
      const { action, change, areSettingsChanged = false, audit } = await decide(tx, line);
      const isChange = Object.entries(change).some(([field, value]) => line[field as keyof Line] !== value);
      if (!isChange) return line;
      await store(tx, line, change);
      await recordAudit(tx, context, action, { id, name: line.name, organizationId }, audit);
      // Wakes the agent's lanes, because messages may be waiting for the line.
      await this.lanes.wakeAgents(tx, [agentId]);
      if (areSettingsChanged)
        for (const hook of this.hooks.of("deliverySettingsChanged")) await hook(tx, line);
      const changed = await tx.findOneByOrFail(Line, { id });
      if (changed.state !== line.state) recordEvents(tx, lineEvents(changed));
      return changed;
    };
    return this.database.writeFor(ownerOf(context.caller), unit, { tx });
  }
}

interface LineChange {
  action: AuditAction;
  change: Partial<Line>;
  areSettingsChanged?: boolean;
  audit: Changes;
}

/** Plans a change to a line while its agent's row is locked. */
type Decide = (tx: Tx, line: Line) => Promise<LineChange>;

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

const store = (tx: Tx, { id, version }: Line, change: Partial<Line>) =>
  tx.update(Line, { id }, { ...(change as object), version: version + 1 });
