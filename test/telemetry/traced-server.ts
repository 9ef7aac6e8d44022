import type { TestEngine } from "../support/engines";
import { secretsIn, startServer } from "../support/process";

interface Call {
  token?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Starts a server in a separate process, because the exporter needs `import()`, which the test runner lacks. */
export async function start(engine: TestEngine, env: Record<string, string>) {
  const database = await engine.createMigratedDatabase();
  const server = await startServer({ DATABASE_URL: database.url, ...env });
  const { key, email, password } = secretsIn(server.stdout()) ?? { key: "", email: "", password: "" };
  const rest = async (method: string, path: string, { token = key, headers = {}, body }: Call = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    key,
    credentials: { email, password },
    rest,
    graphql: (query: string, variables = {}, call: Call = {}) =>
      rest("POST", "/graphql", { ...call, body: { query, variables } }),
    log: () => server.stderr(),
    logged: (text: string) => server.until("stderr", text),
    close: async () => {
      await server.stop();
      await database.drop();
    },
  };
}
