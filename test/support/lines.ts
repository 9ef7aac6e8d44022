import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { type Line } from "../../src/features/lines/line.entity";
import { CreateLineInput } from "../../src/features/lines/line.inputs";
import { MAX_LINES } from "../../src/features/lines/line.limits";
import type { Call, Reply, TestGateway } from "./gateway";
import { operatorOfAgent } from "./people";

/** An allowed target whose host needs no DNS. */
export const PUBLIC_URL = "https://93.184.215.14/messages";

type AddedLine = { agentId: string; name?: string } & Partial<CreateLineInput>;

/** Adds a line to an agent through the service, like the command line; the name is random by default. */
export async function addLine(
  gateway: TestGateway,
  { agentId, name = `line-${Math.random().toString(36).slice(2)}`, ...more }: AddedLine,
): Promise<Line> {
  // Deletes unused lines if the agent is near its limit, because a suite may add more lines than the limit.
  const isSpare = `agent_id = $1 and name like 'line-%' and not is_default
    and id not in (select line_id from conversation)
    and (select count(*) from line where agent_id = $1) > ${MAX_LINES - 5}`;
  await gateway.services.database.write(async (tx) => {
    const traffic = `delete from line_traffic where line_id in (select id from line where ${isSpare})`;
    await tx.query(traffic, [agentId]);
    await tx.query(`delete from line where ${isSpare}`, [agentId]);
  });
  const context = await operatorOfAgent(gateway, agentId);
  const input = Object.assign(new CreateLineInput(), { agentId, name, ...more });
  return (await gateway.services.lines.create(context, input)).line;
}

/** Adds a webhook line, by default at an allowed address that is never called. */
export const addWebhookLine = (
  gateway: TestGateway,
  { url = PUBLIC_URL, ...more }: AddedLine & { url?: string },
): Promise<Line> =>
  addLine(gateway, {
    settings: { webhook: { url, addressKind: AddressKind.phone } },
    ...more,
  });

const LINE = `id name kind address state pausedReason isDefault ratePerMinute expireAfterSeconds whenUncertain optOutReply optOutWords
  webhook { url addressKind } email { host port security user hasPassword from subject }
  secretGeneration previousSecretUntil version createdAt`;

/** Calls the GraphQL fields of lines, as the owner by default. */
export function lineClient(gateway: TestGateway) {
  const call = (query: string, variables: object, more: Call = {}): Promise<Reply> =>
    gateway.graphql(query, variables as Record<string, unknown>, { token: gateway.owner, ...more });
  const byId = (field: string) => (id: string, more?: Call) =>
    call(`mutation ($id: ID!) { ${field}(input: { id: $id }) { ${LINE} } }`, { id }, more);
  return {
    list: (agentId: string | undefined, more?: Call) =>
      call(`query ($agentId: ID) { lines(agentId: $agentId) { ${LINE} } }`, { agentId }, more),
    create: (input: object, more?: Call) =>
      call(
        `mutation ($input: CreateLineInput!) { createLine(input: $input) { line { ${LINE} } signingSecret } }`,
        { input },
        more,
      ),
    update: (input: object, more?: Call) =>
      call(`mutation ($input: UpdateLineInput!) { updateLine(input: $input) { ${LINE} } }`, { input }, more),
    pause: (id: string, reason?: unknown) =>
      call(
        `mutation ($id: ID!, $reason: String) { pauseLine(input: { id: $id, reason: $reason }) { ${LINE} } }`,
        {
          id,
          reason,
        },
      ),
    rotateSecret: (id: string, { idempotencyKey, ...more }: Call & { idempotencyKey?: string } = {}) =>
      call(
        `mutation ($input: RotateLineSecretInput!) {
          rotateLineSecret(input: $input) { line { ${LINE} } signingSecret }
        }`,
        { input: { id, idempotencyKey } },
        more,
      ),
    resume: byId("resumeLine"),
    archive: byId("archiveLine"),
    setDefault: byId("setDefaultLine"),
  };
}
