import { hostname } from "node:os";
import { loadConfig } from "../../src/config";
import { ERRORS } from "../../src/errors";
import { sqlite } from "../support/engines";
import { sendRaw } from "../support/rejections";
import { suiteGateway } from "../support/suite";

const FOREIGN = [
  "rebound.example",
  "localhost.example",
  "127.0.0.1.example",
  "localhost.",
  "notlocalhost",
  "a.127.0.0.1",
  "evil-gateway.example.com",
];

describe.each<[string, Record<string, string>, string[], string[]]>([
  [
    "in development",
    { PUBLIC_URL: "https://gateway.example.com:8443/" },
    [
      ...["localhost", "LOCALHOST:4000", "app.localhost", "127.0.0.1", "192.0.2.1:4000", "[::1]:4000"],
      ...[hostname(), "gateway.example.com", "Gateway.Example.Com:8443", ""],
    ],
    FOREIGN,
  ],
  [
    "in development with ALLOWED_HOSTS",
    { ALLOWED_HOSTS: "other.example.com" },
    ["other.example.com:4000", "localhost"],
    FOREIGN,
  ],
  [
    "in production with ALLOWED_HOSTS",
    { ENVIRONMENT: "production", ALLOWED_HOSTS: "gateway.example.com, [2001:db8::1], 192.0.2.1" },
    ["gateway.example.com", "GATEWAY.example.com:443", "[2001:DB8::1]:4000", "192.0.2.1"],
    [...FOREIGN, "localhost", "127.0.0.1", "gateway.example.com.", ""],
  ],
  [
    "in production with ALLOWED_HOSTS and PUBLIC_URL",
    {
      ENVIRONMENT: "production",
      ALLOWED_HOSTS: "internal.example.com",
      PUBLIC_URL: "https://Public.example.com:8443/x",
    },
    ["internal.example.com", "public.example.com", "PUBLIC.example.com:8443"],
    [...FOREIGN, "localhost", "example.com"],
  ],
  ["in production without", { ENVIRONMENT: "production" }, [...FOREIGN, "localhost", ""], []],
])("%s", (_, env, own, foreign) => {
  // The owner signs in from the address 127.0.0.1, which some of the settings reject.
  const signInOwner = env.ENVIRONMENT !== "production" || env.ALLOWED_HOSTS === undefined;
  const gateway = suiteGateway(sqlite, { env, signInOwner });

  const ask = (host: string, method: string, path: string, more: string[] = []) =>
    sendRaw(gateway.url, [
      `${method} ${path} HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${gateway.key}`,
      ...more,
    ]);

  test("requests for the service's hosts are answered", async () => {
    for (const host of own)
      expect([host, (await ask(host, "GET", "/agent/whoami")).status]).toEqual([host, 200]);
  });

  test("every route answers 421 to other hosts and names the setting, whatever a page adds", async () => {
    const { status } = ERRORS.misdirected_request;
    for (const host of foreign) {
      for (const [method, path] of [
        ["GET", "/agent/whoami"],
        ["GET", "/v1/pets"],
        ["POST", "/messages"],
        ["OPTIONS", "/v1/pets"],
        ["GET", "/dashboard"],
        ["GET", "/docs"],
        ["GET", "/nowhere"],
      ] as const) {
        const reply = await ask(host, method, path, ["X-Forwarded-Host: localhost"]);
        const message = expect.stringContaining("ALLOWED_HOSTS");
        expect(reply.body).toEqual({ code: "misdirected_request", message, status });
        expect(reply.status).toBe(status);
      }
      const graphql = await ask(host, "POST", "/graphql");
      expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([
        status,
        "misdirected_request",
      ]);
    }
  });

  test("probes are answered under any name", async () => {
    for (const host of [...own, ...foreign]) {
      for (const path of ["/healthz", "/readyz"]) expect((await ask(host, "GET", path)).status).toBe(200);
    }
  });
});

test.each(["gateway.example.com:443", "https://gateway.example.com", "*", "a b"])(
  "ALLOWED_HOSTS cannot contain %j",
  (host) => {
    expect(() => loadConfig({ ALLOWED_HOSTS: host })).toThrow(/^ALLOWED_HOSTS must contain host names/);
  },
);
