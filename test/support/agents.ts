import type { Call, Reply, TestGateway } from "./gateway";

const AGENT = "id slug name deletedAt";

/** Calls the GraphQL fields of agents, as the owner by default. */
export function agentClient(gateway: TestGateway) {
  const call = (query: string, variables: Record<string, unknown>, more: Call = {}): Promise<Reply> =>
    gateway.graphql(query, variables, { token: gateway.owner, ...more });
  return {
    list: async (more?: Call) => (await call(`{ agents { ${AGENT} } }`, {}, more)).body.data.agents,
    create: (input: object, more?: Call) =>
      call(
        `mutation ($input: CreateAgentInput!) { createAgent(input: $input) { ${AGENT} } }`,
        { input },
        more,
      ),
    rename: (id: string, name: unknown, more?: Call) =>
      call(
        `mutation ($id: ID!, $name: String!) { renameAgent(input: { id: $id, name: $name }) { ${AGENT} } }`,
        { id, name },
        more,
      ),
    delete: (id: string, more?: Call) =>
      call(`mutation ($id: ID!) { deleteAgent(input: { id: $id }) { ${AGENT} } }`, { id }, more),
    /** Creates an agent with a random slug. */
    add: async (
      slug = `agent-${Math.random().toString(36).slice(2)}`,
    ): Promise<{ id: string; slug: string }> =>
      (
        await call("mutation ($input: CreateAgentInput!) { createAgent(input: $input) { id slug } }", {
          input: { slug, name: `Agent ${slug}` },
        })
      ).body.data.createAgent,
  };
}
