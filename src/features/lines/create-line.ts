import { v7 as uuid } from "uuid";
import type { RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import { signingSecretOf } from "../../instance-key/signing-secrets";
import type { Agent } from "../agents/agent.entity";
import { recordAudit } from "../audit/audit";
import { emailSettings, webhookSettings } from "./given-settings";
import { auditOf, lineActions } from "./line.audit";
import { Line, LineKind, LineState, WhenUncertain } from "./line.entity";
import type { CreateLineInput, LineWithSecret } from "./line.inputs";
import { DEFAULT_EXPIRE_AFTER_SECONDS, MAX_LINES } from "./line.limits";
import { addressIn } from "./line-settings";

/** Returns the error message for a name that another of the agent's lines already has. */
export const nameTaken = (name: string) => `The agent already has a line "${name}".`;

/** Returns a new line's kind, and its settings in stored form. */
export function kindAndSettingsOf({
  settings,
}: Pick<CreateLineInput, "settings">): Pick<Line, "kind" | "settings"> {
  const { webhook, email } = settings ?? {};
  if (webhook != null) return { kind: LineKind.webhook, settings: webhookSettings(webhook) };
  if (email != null) return { kind: LineKind.email, settings: emailSettings(email) };
  return { kind: LineKind.local, settings: {} };
}

/**
 * Inserts a line; an agent's first line becomes its default.
 * @param tx must have locked the agent's row if the agent may have other lines
 * @throws GatewayError `conflict` if the name is taken or the line needs a missing instance key, `limit_reached`
 */
export async function insertLine(
  tx: Tx,
  context: RequestContext,
  { id: agentId, organizationId }: Pick<Agent, "id" | "organizationId">,
  input: Pick<CreateLineInput, "name"> & Partial<CreateLineInput>,
  instanceKey: InstanceKeyService,
): Promise<LineWithSecret> {
  const { name } = input;
  const { kind, settings } = kindAndSettingsOf(input);
  const email = input.settings?.email;
  const password = email?.password ?? null;
  const others = await tx.countBy(Line, { agentId });
  if (others >= MAX_LINES) {
    throw new GatewayError("limit_reached", `An agent can have at most ${MAX_LINES} lines.`);
  }
  const isSigned = kind === LineKind.webhook;
  const key = isSigned || password !== null ? await instanceKey.required(tx) : undefined;
  const id = uuid();
  const line = tx.create(Line, {
    id,
    agentId,
    name,
    kind,
    address: email == null ? null : (addressIn(email.from) ?? null),
    settings,
    credentials: password !== null && key !== undefined ? key.seal(password, id) : null,
    secretGeneration: isSigned ? 1 : 0,
    previousUntil: null,
    state: LineState.active,
    pausedReason: null,
    ratePerMinute: input.ratePerMinute ?? null,
    expireAfterSeconds: input.expireAfterSeconds ?? DEFAULT_EXPIRE_AFTER_SECONDS,
    whenUncertain: input.whenUncertain ?? WhenUncertain.retry,
    optOutReply: input.optOutReply ?? null,
    optOutWords: input.optOutWords ?? [],
    isDefault: others === 0,
    version: 1,
    createdAt: timestamp(),
  });
  await insertUnlessTaken(tx, Line, line, nameTaken(name));
  const target = { id, name, organizationId };
  const { name: _, ...audit } = auditOf(undefined, line);
  await recordAudit(tx, context, lineActions.line_created, target, {
    kind: [null, kind],
    ...audit,
    credentials: [null, password === null ? null : "stored"],
  });
  return { line, signingSecret: isSigned && key !== undefined ? signingSecretOf(line, key) : null };
}
