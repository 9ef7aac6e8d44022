import { ENVIRONMENTS, type Environment } from "../../src/common/environment";
import { mintApiKey } from "../../src/credentials/token-format";
import { onOneEngine, type TestDatabase } from "../support/engines";
import { mint, operator, startGateway, type TestGateway } from "../support/gateway";
import { outcomeOf } from "../support/keys";
import { codeOf } from "../support/people";
import { endProcesses, startServer } from "../support/process";
import { slowTest } from "../support/slow-test";

afterEach(endProcesses);

onOneEngine((engine) => {
  let testDatabase: TestDatabase;
  /** An active key of each environment, in one database. */
  const secrets = {} as Record<Environment, string>;

  const open = (environment: Environment, env: Record<string, string> = {}): Promise<TestGateway> =>
    startGateway(engine, {
      database: testDatabase,
      env: { ENVIRONMENT: environment, ...env },
      signInOwner: false,
    });

  beforeAll(async () => {
    testDatabase = await engine.createMigratedDatabase();
    for (const environment of ENVIRONMENTS) {
      const issuer = await open(environment);
      secrets[environment] = (await mint(issuer, { name: environment })).secret;
      const { id } = await mint(issuer, { name: `${environment}, revoked` });
      await issuer.services.keys.revoke(await operator(issuer), id);
      await issuer.close();
    }
  });
  afterAll(() => testDatabase.drop());

  test.each([
    ["development", /^agk_dev_[\dA-Za-z]{12}_[\dA-Za-z]{28}$/],
    ["staging", /^agk_test_[\dA-Za-z]{12}_[\dA-Za-z]{28}$/],
    ["production", /^agk_live_[\dA-Za-z]{12}_[\dA-Za-z]{28}$/],
  ] as const)("a server in %s accepts only keys of its environment, which match %s", async (own, form) => {
    expect(secrets[own]).toMatch(form);
    const gateway = await open(own);
    for (const environment of ENVIRONMENTS) {
      const secret = secrets[environment];
      const expected = environment === own ? "accepted" : "invalid_api_key";
      expect([environment, await outcomeOf(gateway, secret)]).toEqual([environment, expected]);
      if (environment === own) continue;
      const lookup = jest.spyOn(gateway.services.database, "lookup");
      const { status, body } = await gateway.rest("GET", "/agent/whoami", { token: secret });
      expect({ status, message: body.message, lookups: lookup.mock.calls.length }).toEqual({
        status: 401,
        message: `The API key is for ${environment}, but this server accepts only keys for ${own}.`,
        lookups: 0,
      });
      lookup.mockRestore();
    }
    await gateway.close();
  });

  test("ACCEPT_KEY_ENVIRONMENTS makes the server accept keys of more environments", async () => {
    const gateway = await open("production", { ACCEPT_KEY_ENVIRONMENTS: "staging" });
    const outcomes = [];
    for (const environment of ENVIRONMENTS) outcomes.push(await outcomeOf(gateway, secrets[environment]));
    expect(outcomes).toEqual(["invalid_api_key", "accepted", "accepted"]);
    const { body } = await gateway.rest("GET", "/agent/whoami", { token: secrets.development });
    expect(body.message).toContain("accepts only keys for production and staging.");
    await gateway.close();
  });

  test("keys of other environments do not count as guesses, so they lock out no address", async () => {
    const gateway = await open("development", { REFUSED_KEYS_PER_MINUTE: "2" });
    const codes = [];
    for (let i = 0; i < 4; i++) {
      const { secret } = mintApiKey("live");
      codes.push(codeOf(await gateway.rest("GET", "/agent/whoami", { token: secret })));
    }
    expect(codes).toEqual(Array(4).fill("invalid_api_key"));
    expect(await outcomeOf(gateway, secrets.development)).toBe("accepted");
    await gateway.close();
  });

  slowTest("a start logs how many active keys it rejects for their environment", async () => {
    const server = await startServer({ DATABASE_URL: testDatabase.url, ENVIRONMENT: "staging" });
    const { stderr } = await server.stop();
    const lines = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ environment }) => environment !== undefined)
      .map(({ environment, keys, msg }) => ({ environment, keys, msg }));
    const line = (environment: string, keys: number) => ({
      environment,
      keys,
      msg: expect.stringMatching(`^${keys} active API key.* for ${environment}, .*ACCEPT_KEY_ENVIRONMENTS`),
    });
    // The first gateway on this database ran in development, and bootstrapped a key.
    expect(lines).toEqual([line("development", 2), line("production", 1)]);
    const accepting = await open("staging", { ACCEPT_KEY_ENVIRONMENTS: "development, production" });
    expect(await accepting.services.acceptedKeys.countRejectedByEnvironment()).toEqual({});
    await accepting.close();
  });
});
