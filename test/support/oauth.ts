import { createHash, randomBytes } from "node:crypto";
import { IsNull, Not } from "typeorm";
import { organizationOf } from "../../src/auth/context";
import { DAY_MS, timestamp } from "../../src/common/time";
import { mintAccessToken, mintRefreshToken } from "../../src/credentials/token-format";
import { insertKey } from "../../src/features/api-keys/key-changes";
import { OAuthRecord, recordHash } from "../../src/features/oauth/oauth-record.entity";
import { OAuthRecords } from "../../src/features/oauth/oauth-records";
import { operator, type Reply, type TestGateway } from "./gateway";
import { FollowingBrowser } from "./openid-provider";
import { firstAgentId } from "./people";

const { warn } = console;
// The library warns about Node.js 20 and about Jest's own globals.
console.warn = (...given: unknown[]) => {
  if (!String(given[0]).startsWith("oidc-provider WARNING")) warn(...given);
};

/** The public URL of gateways with OAuth, which tests replace with the real one. */
export const OAUTH_BASE = "http://gateway.localhost";

export const OAUTH_ENV = { PUBLIC_URL: OAUTH_BASE, OAUTH: "true", OAUTH_DYNAMIC_REGISTRATION: "true" };

export const APPLICATION_CALLBACK = "https://application.example.com/callback";

/** The response that an application gets for a code or refresh token. */
export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
}

export const CONNECT = `mutation ($input: ConnectApplicationInput!) { connectApplication(input: $input) { redirectUrl } }`;

export const secret = () => randomBytes(32).toString("base64url");
const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

/** Stores an application's request, which waits for consent, and returns its ID. */
export async function storeConnectionRequest(gateway: TestGateway): Promise<string> {
  const id = secret();
  const params = {
    client_id: "application",
    redirect_uri: APPLICATION_CALLBACK,
    scope: "agent:read contacts:read",
  };
  await gateway.services.database.write((tx) =>
    tx.insert(OAuthRecord, {
      hash: recordHash("Interaction", id),
      kind: "Interaction",
      payload: JSON.stringify({ params, prompt: { details: { clientName: "Assistant" } } }),
      expiresAt: timestamp(60_000),
    }),
  );
  return id;
}

/** A connection in the first organization, with one token of each kind. */
export interface StoredConnection {
  keyId: string;
  access: string;
  refresh: string;
}

/** Stores a connection as a consent and an exchange do, but without their requests. */
export async function storeConnection(
  gateway: TestGateway,
  { memberId, agentId, clientId = "application" }: { memberId: string; agentId?: string; clientId?: string },
): Promise<StoredConnection> {
  const { database, connections, rejectedTokens } = gateway.services;
  const context = await operator(gateway);
  const ofAgent = agentId ?? (await firstAgentId(gateway));
  const { apiKey } = await database.write((tx) =>
    insertKey(tx, context, {
      organizationId: organizationOf(context),
      agentId: ofAgent,
      name: "Assistant",
      expiresAt: timestamp(DAY_MS),
      scopes: ["agent:read", "messages:write", "pets:write"],
      settings: { description: null, rateLimitPerMinute: null, allowedNetworks: null },
      environment: "dev",
      application: { clientId, memberId },
    }),
  );
  const [access, refresh] = [mintAccessToken(), mintRefreshToken()];
  const records = new OAuthRecords(database, connections, rejectedTokens);
  const iat = Math.floor(Date.now() / 1000);
  for (const [kind, token] of [
    ["AccessToken", access],
    ["RefreshToken", refresh],
  ] as const)
    await records
      .adapter(kind, { request: () => gateway, tokens: () => 1, alreadyUsed: Error, tooMany: Error })
      .upsert(
        token,
        {
          ...{ kind, clientId, iat, exp: iat + 3_600, grantId: apiKey.id, accountId: memberId },
          ...{ scope: "agent:read messages:write pets:write", gty: "authorization_code" },
          ...(kind === "RefreshToken" && { resource: `${OAUTH_BASE}/mcp`, rotations: 0 }),
        },
        3_600,
      );
  return { keyId: apiKey.id, access, refresh };
}

/** Moves the first use of a connection's refresh tokens to the past (ms). */
export const ageUsedTokens = ({ services }: TestGateway, keyId: string, ms: number) =>
  services.database.write((tx) =>
    tx.update(
      OAuthRecord,
      { keyId, kind: "RefreshToken", consumedAt: Not(IsNull()) },
      { consumedAt: timestamp(-ms) },
    ),
  );

/** An application that is registered at a gateway, with its browser. */
export class Application {
  readonly browser = new FollowingBrowser("nobody");
  readonly verifier = secret();

  constructor(
    readonly gateway: TestGateway,
    readonly clientId: string,
    readonly redirectUri: string,
    /** The public URL of the gateway. */
    readonly base = OAUTH_BASE,
  ) {}

  static async register(
    gateway: TestGateway,
    { name = "Assistant", redirectUri = APPLICATION_CALLBACK }: { name?: string; redirectUri?: string } = {},
  ): Promise<Application> {
    const { body } = await post(gateway, "/oauth/register", {
      client_name: name,
      redirect_uris: [redirectUri],
    });
    return new Application(gateway, body.client_id, redirectUri);
  }

  /** Returns the same application in another browser, possibly at another gateway. */
  elsewhere(gateway = this.gateway): Application {
    return new Application(gateway, this.clientId, this.redirectUri);
  }

  authorizeUrl(changes: Record<string, string | undefined> = {}): string {
    const query = {
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      response_type: "code",
      state: "a state",
      scope: "agent:read contacts:read",
      resource: `${this.base}/mcp`,
      code_challenge: challengeOf(this.verifier),
      code_challenge_method: "S256",
      ...changes,
    };
    const given = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined);
    return `${this.gateway.url}/oauth/authorize?${new URLSearchParams(given)}`;
  }

  /** Starts a request, and returns its ID. */
  async start(changes?: Record<string, string | undefined>): Promise<string> {
    const to = await this.browser.follow(
      this.authorizeUrl(changes),
      `${this.gateway.url}/dashboard/connect/`,
    );
    return to.slice(to.lastIndexOf("/") + 1);
  }

  /** Consents as a member, and returns the response of the mutation. */
  async consent(
    requestId: string,
    input: Record<string, unknown> = {},
    token = this.gateway.owner,
  ): Promise<Reply> {
    const agentId = await firstAgentId(this.gateway);
    const all = { requestId, agentId, scopes: ["agent_read", "contacts_read"], ...input };
    return this.gateway.graphql(CONNECT, { input: all }, { token });
  }

  /** Follows the URL of a consent with the application's browser, and returns the parameters for the application. */
  async finish(redirectUrl: string): Promise<URLSearchParams> {
    const to = await this.browser.follow(
      redirectUrl.replace(OAUTH_BASE, this.gateway.url),
      this.redirectUri,
      (url) => url.replace(OAUTH_BASE, this.gateway.url),
    );
    return new URL(to).searchParams;
  }

  /** Obtains a code with a member's consent. */
  async code(
    input: Record<string, unknown> = {},
    changes?: Record<string, string | undefined>,
  ): Promise<string> {
    const reply = await this.consent(await this.start(changes), input);
    const answer = await this.finish(reply.body.data.connectApplication.redirectUrl);
    return answer.get("code") ?? "";
  }

  exchange(code: string, changes: Record<string, string | undefined> = {}): Promise<Reply> {
    return postForm(this.gateway, "/oauth/token", {
      grant_type: "authorization_code",
      code,
      redirect_uri: this.redirectUri,
      client_id: this.clientId,
      code_verifier: this.verifier,
      resource: `${this.base}/mcp`,
      ...changes,
    });
  }

  refresh(token: string, changes: Record<string, string | undefined> = {}): Promise<Reply> {
    return postForm(this.gateway, "/oauth/token", {
      grant_type: "refresh_token",
      refresh_token: token,
      client_id: this.clientId,
      ...changes,
    });
  }

  revoke(token: string, changes: Record<string, string | undefined> = {}): Promise<Reply> {
    return postForm(this.gateway, "/oauth/revoke", { token, client_id: this.clientId, ...changes });
  }

  /** Connects the application with an owner's consent. */
  async connect(input?: Record<string, unknown>): Promise<Tokens> {
    return (await this.exchange(await this.code(input))).body;
  }
}

const post = (gateway: TestGateway, path: string, body: unknown): Promise<Reply> =>
  gateway.rest("POST", path, { body, token: null });

/** Posts a form like an application. */
export const postForm = (
  gateway: TestGateway,
  path: string,
  form: Record<string, string | undefined>,
): Promise<Reply> => {
  const given = Object.entries(form).filter((each): each is [string, string] => each[1] !== undefined);
  return gateway.rest("POST", path, {
    token: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(given).toString(),
  });
};
