import { systemFor } from "../../src/auth/context";
import { Agent } from "../../src/features/agents/agent.entity";
import { ConfigurationVersion } from "../../src/features/configuration/configuration-version.entity";
import { checkDocument } from "../../src/features/configuration/document/check-document";
import { insertVersion } from "../../src/features/configuration/versions";
import { Decision } from "../../src/features/decisions/decision.entity";
import { conversationClient } from "./conversations";
import type { Call, Reply, TestGateway } from "./gateway";
import { addSender } from "./inbound";

/**
 * Publishes a valid document as the live configuration of an agent.
 * @returns its version
 */
export async function publish(gateway: TestGateway, agentId: string, document: object): Promise<number> {
  const { problems, document: checked } = await checkDocument({ format: 1, ...document });
  if (checked === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  return gateway.services.database.write(async (tx) => {
    const { organization } = await tx.findOneOrFail(Agent, {
      where: { id: agentId },
      relations: { organization: true },
    });
    if (organization === undefined) throw new Error("The agent has no organization.");
    const live = (await tx.maximum(ConfigurationVersion, "version", { agentId })) ?? 0;
    const given = { version: live + 1, document: checked, note: null, restoredFrom: null };
    return (await insertVersion(tx, gateway.services.lanes, systemFor(organization), agentId, given)).version;
  });
}

/** The body of a REST request for a decision. */
export interface DecisionBody {
  type?: string;
  data?: Record<string, unknown>;
  contact?: object;
  conversationId?: string;
  dryRun?: boolean;
  against?: object;
  as?: object;
}

/** Submits situations to a key's agent, by default the first key's. */
export const decisionClient = (gateway: TestGateway, token = gateway.key) => ({
  decide: (
    { type = "order.shipped", data = {}, ...about }: DecisionBody,
    { idempotencyKey, ...more }: Call & { idempotencyKey?: string } = {},
  ): Promise<Reply> =>
    gateway.rest("POST", "/agent/decisions", {
      token,
      body: { situation: { type, data }, ...about },
      ...more,
      ...(idempotencyKey !== undefined && { headers: { "idempotency-key": idempotencyKey } }),
    }),
  find: (id: string, more: Call = {}): Promise<Reply> =>
    gateway.rest("GET", `/agent/decisions/${id}`, { token, ...more }),
  list: (query = "", more: Call = {}): Promise<Reply> =>
    gateway.rest("GET", `/agent/decisions${query}`, { token, ...more }),
});

/**
 * Publishes a configuration, and makes a decision about a message after its conversation was closed.
 * @returns the decision's ID
 */
export async function staleDecision(gateway: TestGateway, agentId: string): Promise<string> {
  await publish(gateway, agentId, { burstSeconds: 60, otherwise: [{ addTags: ["late"] }] });
  const { body } = await (await addSender(gateway, { agentId })).text("late", "Hello");
  const { conversationId } = body;
  await conversationClient(gateway).close(conversationId);
  const { id } = await gateway.services.database.read((reader) =>
    reader.findOneByOrFail(Decision, { conversationId }),
  );
  await (await dispatchOf(gateway, id))?.();
  return id;
}

/** Changes a stored decision as if the deciding process had a different version of the language data. */
export async function formatDifferently(
  { services }: TestGateway,
  id: string,
  from: string,
  to: string,
): Promise<void> {
  await services.database.write(async (tx) => {
    const { snapshot, effects, explanation } = await tx.findOneByOrFail(Decision, { id });
    const columns = [snapshot, effects, explanation].map((each) => JSON.stringify(each).replaceAll(from, to));
    const update = "update decision set snapshot = $1, effects = $2, explanation = $3 where id = $4";
    await tx.query(update, [...columns, id]);
  });
}

/**
 * Starts a due decision like a delivering process.
 * @returns the dispatch of a question to the model; undefined if the decision was made
 */
export async function dispatchOf({ services }: TestGateway, id: string) {
  const senders = { take: () => true, giveBack: () => undefined };
  const { dispatches } = await services.database.write((tx) =>
    services.decisionRunner.start(tx, [id], { senders, observer: services.lanes.observing(tx) }),
  );
  const [dispatch] = dispatches;
  return (
    dispatch &&
    ((signal = new AbortController().signal) => dispatch.send({ number: 1, signal, mayLeave: () => true }))
  );
}
