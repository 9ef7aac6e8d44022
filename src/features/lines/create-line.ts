import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import type { RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import { GatewayError } from "../../errors";
import type { Agent } from "../agents/agent.entity";
import { recordAudit } from "../audit/audit";
import { lineActions } from "./line.audit";
import { Line, LineKind, LineState } from "./line.entity";
import type { NewLine } from "./line.inputs";
import { DEFAULT_EXPIRE_AFTER_SECONDS, MAX_LINES } from "./line.limits";

/** The message for a name that another line of the agent has. */
export const nameTaken = (name: string) => `The agent already has a line "${name}".`;

/**
 * Inserts a line; the first one of an agent becomes its default.
 * @param tx holds the lock of the agent's row, if the agent may have other lines
 * @throws GatewayError `conflict` if the name is taken, `limit_reached`
 */
export async function insertLine(
  tx: EntityManager,
  context: RequestContext,
  { id: agentId, organizationId }: Pick<Agent, "id" | "organizationId">,
  input: Pick<NewLine, "name"> & Partial<Pick<NewLine, "kind" | "ratePerMinute" | "expireAfterSeconds">>,
): Promise<Line> {
  const { name, kind = LineKind.local } = input;
  const others = await tx.countBy(Line, { agentId });
  if (others >= MAX_LINES) {
    throw new GatewayError("limit_reached", `An agent has at most ${MAX_LINES} lines.`);
  }
  const line = tx.create(Line, {
    id: uuid(),
    agentId,
    name,
    kind,
    address: null,
    settings: {},
    credentials: null,
    secretGeneration: 0,
    previousUntil: null,
    state: LineState.active,
    pausedReason: null,
    ratePerMinute: input.ratePerMinute ?? null,
    expireAfterSeconds: input.expireAfterSeconds ?? DEFAULT_EXPIRE_AFTER_SECONDS,
    whenUncertain: "retry",
    optOutReply: null,
    isDefault: others === 0,
    version: 1,
    createdAt: timestamp(),
  });
  await insertUnlessTaken(tx, Line, line, nameTaken(name));
  const target = { id: line.id, name, organizationId };
  await recordAudit(tx, context, lineActions.line_created, target, {
    kind: [null, kind],
    ratePerMinute: [null, asText(line.ratePerMinute)],
    expireAfterSeconds: [null, asText(line.expireAfterSeconds)],
  });
  return line;
}

/** A number as the audit log shows it. */
export const asText = (value: number | null): string | null => (value === null ? null : String(value));
