import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import sqlite3 from "sqlite3";

const CLI = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));

/**
 * Runs statements on a database of either kind.
 * @param work gets `query(sql, values)`, which returns the rows
 */
export async function withDatabase(url, work) {
  if (url.startsWith("sqlite:")) {
    const database = await new Promise((resolve, reject) => {
      const opened = new sqlite3.Database(url.slice("sqlite:".length), (error) =>
        error ? reject(error) : resolve(opened),
      );
    });
    database.configure("busyTimeout", 5_000);
    try {
      return await work(promisify(database.all.bind(database)));
    } finally {
      await promisify(database.close.bind(database))();
    }
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(async (sql, values) => (await client.query(sql, values)).rows);
  } finally {
    await client.end();
  }
}

/**
 * Adds a member who manages the organization.
 * @returns the member's credentials
 */
export async function addMember(url, organization, email = "member@example.com") {
  const credentials = { email, password: "a password for attacks" };
  const args = ["members", "add", "--org", organization, "--email", credentials.email];
  const child = spawn(process.execPath, [CLI, ...args, "--manage", "--password-stdin"], {
    env: { ...process.env, DATABASE_URL: url, ENVIRONMENT: "production" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.end(credentials.password);
  const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr)]);
  if (code !== 0) throw new Error(`The member was not added: ${said}`);
  return credentials;
}

/**
 * Returns a sign-in request that a trusted proxy forwards.
 * @param input e-mail address and password
 * @param ip the client's address
 */
export const signInRequest = (input, ip) => ({
  method: "POST",
  path: "/graphql",
  headers: { "x-forwarded-for": ip },
  body: {
    query: "mutation SignIn($input: SignInInput!) { signIn(input: $input) { token } }",
    variables: { input },
  },
});

/** Returns an address in one of 2^32 IPv6 networks. */
export function addressOf(random) {
  const group = () => Math.floor(random() * 65_536).toString(16);
  return `2001:db8:${group()}:${group()}::1`;
}

/**
 * Opens a session.
 * @returns its token
 */
export async function signIn(port, input) {
  const { answer } = await post(port, signInRequest(input, "127.0.0.1"));
  if (answer.errors) throw new Error(`Signing in failed: ${JSON.stringify(answer.errors)}`);
  return answer.data.signIn.token;
}

/**
 * Sends a request outside of the attack.
 * @returns the `status` and the `answer`
 */
async function request(port, { method, path, headers, body }) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...(body && { "content-type": "application/json" }), ...headers },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, answer: await response.json() };
}

export const post = (port, given) => request(port, { ...given, method: "POST" });

export const get = (port, given) => request(port, { ...given, method: "GET" });

/**
 * Adds lines to the first agent of a member.
 * @returns the ID of the agent, the IDs and names of the lines, and `ask`, which sends GraphQL as the member
 */
export async function addLines(port, member, count, settings) {
  const headers = { authorization: `Bearer ${await signIn(port, member)}` };
  const ask = async (query, variables) => {
    const { answer } = await post(port, { path: "/graphql", headers, body: { query, variables } });
    if (answer.errors) throw new Error(`${query} failed: ${JSON.stringify(answer.errors)}`);
    return answer.data;
  };
  const { agents } = await ask("{ agents { id } }");
  const agentId = agents[0].id;
  const names = Array.from({ length: count }, (_, i) => `line-${i}`);
  const mutation = "mutation ($input: CreateLineInput!) { createLine(input: $input) { line { id } } }";
  const created = await Promise.all(
    names.map((name) => ask(mutation, { input: { agentId, name, ...settings } })),
  );
  return { ask, agentId, names, ids: created.map(({ createLine }) => createLine.line.id) };
}
