import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import pino from "pino";
import { createApp } from "../../src/app";
import { operatorFor, type RequestContext } from "../../src/auth/context";
import { ORGANIZATION_SCOPES } from "../../src/auth/permissions";
import { bootstrap } from "../../src/bootstrap";
import { loadConfig } from "../../src/config";
import type { Services } from "../../src/features";
import { createDataSource } from "../../src/features";
import type {
  CreateApiKeyInput,
  CreateOrganizationKeyInput,
} from "../../src/features/api-keys/api-key.inputs";
import { logOptions } from "../../src/logger";
import "./schema-metadata";
import { watchCodeGeneration, withoutCodeWatch } from "./code-generation";
import { assertInContract } from "./contract";
import type { TestDatabase, TestEngine } from "./engines";
import { sendRequest } from "./http-client";
import { type Rows, rowsIn } from "./rows";

/** The response of one call. */
export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
  body: any;
  text: string;
}

export interface Call {
  /** Bearer token; by default the gateway's first key; null for no Authorization header. */
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON; strings and bytes are sent unchanged. */
  body?: unknown;
}

/** A gateway on a free port of this machine, with a first key and a signed-in owner. */
export interface TestGateway {
  url: string;
  databaseUrl: string;
  /** The first API key. */
  key: string;
  /** Session token of the owner, who has config:manage. */
  owner: string;
  ownerCredentials: { email: string; password: string };
  services: Services;
  rows: Rows;
  /** The log so far. */
  log(): string;
  rest(method: string, path: string, call?: Call): Promise<Reply>;
  graphql(query: string, variables?: Record<string, unknown>, call?: Call): Promise<Reply>;
  close(): Promise<void>;
}

/** The default instance key of gateways. */
export const INSTANCE_KEY = Buffer.alloc(32, "instance").toString("base64");

const OWNER = { email: "owner@example.com", password: "correct horse battery staple" };

export interface GatewayOptions {
  env?: Record<string, string>;
  /** A database shared with another gateway; a new one by default. */
  database?: TestDatabase | Pick<TestDatabase, "url">;
  /** Folder of a built dashboard. */
  dashboard?: string;
  /** True if a 5xx response fails the test; then, by default, only errors are logged. */
  strict?: boolean;
  /** False if the settings do not allow requests from this machine; `owner` is then empty. */
  signInOwner?: boolean;
}

export async function startGateway(
  engine: TestEngine,
  { env = {}, database, dashboard, strict = false, signInOwner = true }: GatewayOptions = {},
): Promise<TestGateway> {
  const own = database ? { ...database, drop: async () => undefined } : await engine.createMigratedDatabase();
  const config = loadConfig({
    DATABASE_URL: own.url,
    PORT: "0",
    // Without delivery, messages stay as the suites sent them.
    DELIVERY_WORKERS: "0",
    INSTANCE_KEY,
    BOOTSTRAP_OWNER_EMAIL: OWNER.email,
    BOOTSTRAP_OWNER_PASSWORD: OWNER.password,
    ...(strict && { LOG_LEVEL: "error" }),
    ...env,
  });
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const log = pino(logOptions(config.logLevel), sink);
  const { app, first } = await withoutCodeWatch(async () => {
    const created = await createApp(
      config,
      createDataSource(own.url, config.databasePoolSize),
      log,
      dashboard,
    );
    const made = await bootstrap(created.services);
    await created.http.listen({ port: 0, host: "127.0.0.1" });
    return { app: created, first: made };
  });
  const codeGeneration = watchCodeGeneration();
  const url = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;

  const gateway: TestGateway = {
    url,
    databaseUrl: own.url,
    key: first?.keySecret ?? "",
    owner: "",
    ownerCredentials: OWNER,
    services: app.services,
    rows: rowsIn(app.services.database),
    log: () => lines.join(""),
    rest: async (method, path, { token = gateway.key, headers = {}, body } = {}) => {
      const reply = await send(`${url}${path}`, {
        method,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
      });
      assertInContract(method, path, reply);
      if (strict && reply.status >= 500) throw new Error(`${reply.status} ${reply.text} ${gateway.log()}`);
      return reply;
    },
    graphql: (query, variables = {}, call = {}) =>
      gateway.rest("POST", "/graphql", {
        ...call,
        headers: { accept: "application/graphql-response+json", ...call.headers },
        body: call.body ?? { query, variables },
      }),
    close: async () => {
      await app.close();
      codeGeneration.end();
      await own.drop();
      if (codeGeneration.made.length > 0) throw new Error(`A request made code:\n${codeGeneration.made[0]}`);
    },
  };
  if (signInOwner) gateway.owner = await signIn(gateway, OWNER);
  return gateway;
}

async function send(url: string, given: Parameters<typeof sendRequest>[1]): Promise<Reply> {
  const reply = await sendRequest(url, given);
  const isJson = reply.headers.get("content-type")?.includes("json") === true;
  return { ...reply, body: isJson && reply.text !== "" ? JSON.parse(reply.text) : undefined };
}

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" || body instanceof Uint8Array;

/** @returns a session token */
export async function signIn(
  gateway: Pick<TestGateway, "graphql">,
  { email, password }: { email: string; password: string },
): Promise<string> {
  const reply = await gateway.graphql(
    "mutation ($input: SignInInput!) { signIn(input: $input) { token } }",
    { input: { email, password } },
    { token: null },
  );
  return reply.body.data.signIn.token;
}

/** Returns the context of a caller at the command line, by default for the first organization. */
export async function operator(gateway: TestGateway, slug = "first"): Promise<RequestContext> {
  return operatorFor(await gateway.services.organizations.bySlug(slug));
}

/** Mints a key for an agent through the service, like the command line. */
export async function mint(
  gateway: TestGateway,
  {
    agent = "first-agent",
    name = `key ${Math.random()}`,
    ...given
  }: Partial<CreateApiKeyInput> & { agent?: string } = {},
): Promise<{ id: string; secret: string; hint: string }> {
  const { id: agentId, organization } = await gateway.services.agents.bySlug(agent);
  const { apiKey, secret } = await gateway.services.keys.create(operatorFor(organization), {
    agentId,
    name,
    ...given,
  });
  return { id: apiKey.id, secret, hint: apiKey.hint };
}

/** Mints an organization key, by default for the first organization, with every scope and usable from this machine. */
export async function mintForOrganization(
  gateway: TestGateway,
  { org = "first", ...given }: Partial<CreateOrganizationKeyInput> & { org?: string } = {},
): Promise<{ id: string; secret: string; hint: string }> {
  const { apiKey, secret } = await gateway.services.keys.createForOrganization(await operator(gateway, org), {
    name: `key ${Math.random()}`,
    scopes: [...ORGANIZATION_SCOPES],
    allowedNetworks: ["127.0.0.0/8"],
    ...given,
  });
  return { id: apiKey.id, secret, hint: apiKey.hint };
}
