import type { Timestamp } from "../../common/time";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome } from "../../delivery/driver";
import { LineKind, WhenUncertain } from "../lines/line.entity";
import type { GateContext, GateLine, QueuedRow, Queues } from "./gates";
import { IS_UNSENT } from "./message.entity";
import { MessageStatus } from "./message.enums";

/** Max uncertain attempts to send an e-mail, because its recipient sees every copy. */
const MAX_UNCERTAIN_EMAILS = 3;

/** SQL for how to handle a message with status `sending` if its attempt's result remains unknown. */
export const WHEN_UNCERTAIN = `(select case when sent_on.kind = '${LineKind.email}' and (
    select count(*) from delivery_attempt
    where message_id = message.id and outcome = '${AttemptOutcome.uncertain}'
  ) >= ${MAX_UNCERTAIN_EMAILS - 1} then '${WhenUncertain.fail}' else sent_on.when_uncertain end
  from line sent_on where sent_on.id = message.line_id)`;

/** SQL SELECT list that returns the properties of `QueuedRow` and `PolicyRow`. */
export const QUEUED_COLUMNS = `message.id, message.author, message.fence, message.status, message.attempts,
  message.created_at as "createdAt", message.expires_at as "expiresAt", message.held_reason as "heldReason",
  message.not_before as "notBefore", message.line_id as "lineId", message.is_urgent as "isUrgent", message.topic,
  message.answered_address_id is null as "isUnprompted", message.agent_id as "agentId", agent.policy_version as "policyVersion",
  case when message.status = '${MessageStatus.sending}' then ${WHEN_UNCERTAIN} end as "whenUncertain"`;

/** SQL SELECT list that returns the properties of `GateLine`. */
export const LINE_COLUMNS = `line.id as "gateId", line.kind, line.state, line.rate_per_minute as "ratePerMinute",
  line.version as "lineVersion", line.when_uncertain as "lineWhenUncertain"`;

/** A row selected with `LINE_COLUMNS`. */
export interface LineRow extends Pick<GateLine, "kind" | "state" | "ratePerMinute"> {
  gateId: string;
  lineVersion: number;
  lineWhenUncertain: WhenUncertain;
}

/** Returns the line in a row that was selected with `LINE_COLUMNS`. */
export const lineIn = (row: LineRow): GateLine => ({
  id: row.gateId,
  kind: row.kind,
  state: row.state,
  ratePerMinute: row.ratePerMinute,
  version: row.lineVersion,
  whenUncertain: row.lineWhenUncertain,
});

/** The columns that identify an agent's policy. */
export type PolicyRow = Pick<GateContext, "agentId" | "policyVersion">;

type Row = QueuedRow & PolicyRow & (LineRow | { gateId: null }) & { deactivatedAt: Timestamp | null };

/** Reads standalone messages; each has its own lane and is sent on its agent's default line. */
export async function readStandaloneMessages(tx: Tx, ids: readonly string[]): Promise<Queues> {
  const rows: Row[] = await tx.query(
    `select ${QUEUED_COLUMNS}, ${LINE_COLUMNS}, organization.deactivated_at as "deactivatedAt"
     from message
     join agent on agent.id = message.agent_id
     join organization on organization.id = agent.organization_id
     left join line on line.agent_id = message.agent_id and line.is_default
     where message.${IS_UNSENT} and message.id in ${placeholders(1, padded(ids).length)}`,
    padded(ids),
  );
  const queues = rows.map((row) => {
    const line = row.gateId === null ? undefined : lineIn(row);
    const { agentId, policyVersion, deactivatedAt } = row;
    const context = { agentId, policyVersion, line, organizationIsActive: deactivatedAt === null };
    return [row.id, [{ ...row, context }]] as const;
  });
  return { queues: new Map(queues) };
}
