import { auditLog } from "../support/audit";
import { mint, type Reply } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { codeOf } from "../support/people";
import { runCli, runCliForJson } from "../support/process";
import { describeGateway } from "../support/suite";

const ALL = {
  description: "For the billing job",
  rateLimitPerMinute: 30,
  allowedNetworks: ["127.0.0.0/8", "192.0.2.0/24"],
};
const NONE = { description: null, rateLimitPerMinute: null, allowedNetworks: null };

describeGateway({ engine: "any" }, (gateway) => {
  const desk = apiKeyClient(gateway);
  const changesOn = async (targetId: string, action: string) =>
    (await auditLog(gateway, { targetId, action })).map(({ changes }: { changes: unknown }) => changes);
  const name = () => `key ${Math.random()}`;

  test("a key is minted with or without settings, which a rotation keeps", async () => {
    const { apiKey } = (await desk.create({ name: name(), ...ALL })).body.data.createApiKey;
    expect(apiKey).toMatchObject(ALL);
    expect(await changesOn(apiKey.id, "api_key_created")).toEqual([
      [
        { field: "description", before: null, after: ALL.description },
        { field: "rateLimitPerMinute", before: null, after: "30" },
        { field: "allowedNetworks", before: null, after: "127.0.0.0/8, 192.0.2.0/24" },
      ],
    ]);
    const rotated = (await desk.rotate(apiKey.id)).body.data.rotateApiKey;
    expect(rotated.apiKey).toMatchObject(ALL);
    expect((await desk.list()).body.data.apiKeys.nodes[0]).toMatchObject({ id: rotated.apiKey.id, ...ALL });
    const plain = (await desk.create({ name: name() })).body.data.createApiKey;
    expect(plain.apiKey).toMatchObject(NONE);
  });

  test("each setting is changed alone, and the audit log contains it before and after", async () => {
    const { id } = await mint(gateway, { name: name() });
    const renamed = name();
    let settings: Record<string, unknown> = { ...NONE };
    for (const change of [
      { description: " first " },
      { rateLimitPerMinute: 5 },
      { allowedNetworks: ["10.0.0.0/8"] },
      { name: renamed, description: "second" },
      { description: null, rateLimitPerMinute: 6 },
      { allowedNetworks: [] },
    ]) {
      const { body } = await desk.update(id, change);
      settings = { ...settings, ...change };
      if (settings.description === " first ") settings.description = "first";
      if (change.allowedNetworks?.length === 0) settings.allowedNetworks = null;
      expect(body.data.updateApiKey).toMatchObject(settings);
    }
    const changes = await changesOn(id, "api_key_updated");
    expect(changes.map((each: { field: string }[]) => each.map(({ field }) => field)).reverse()).toEqual([
      ["description"],
      ["rateLimitPerMinute"],
      ["allowedNetworks"],
      ["name", "description"],
      ["description", "rateLimitPerMinute"],
      ["allowedNetworks"],
    ]);
    expect(changes[1]).toEqual([
      { field: "description", before: "second", after: null },
      { field: "rateLimitPerMinute", before: "5", after: "6" },
    ]);
  });

  test("a change without an effect is not recorded", async () => {
    const { id } = await mint(gateway, { ...ALL });
    await desk.update(id, {});
    await desk.update(id, { ...ALL, allowedNetworks: ["127.0.0.0/08", "192.0.2.0/24"] });
    expect(await changesOn(id, "api_key_updated")).toEqual([]);
  });

  test("concurrent changes are recorded one after the other, without a gap", async () => {
    const { id } = await mint(gateway);
    await Promise.all(Array.from({ length: 12 }, (_, i) => desk.update(id, { description: `change ${i}` })));
    const changes = (await changesOn(id, "api_key_updated")).map(([change]: object[]) => change).reverse();
    expect(changes).toHaveLength(12);
    const afters = changes.map(({ after }: { after: string }) => after);
    expect(changes.map(({ before }: { before: string | null }) => before)).toEqual([
      null,
      ...afters.slice(0, -1),
    ]);
  });

  test("two keys cannot get the same name at the same time", async () => {
    const keys = await Promise.all([mint(gateway), mint(gateway), mint(gateway)]);
    const wanted = name();
    const codes = await Promise.all(
      keys.map(async ({ id }) => codeOf(await desk.update(id, { name: wanted }))),
    );
    expect(codes.sort()).toEqual(["conflict", "conflict", undefined]);
  });

  test.each([
    ["name", null],
    ["name", " "],
    ["name", "x".repeat(101)],
    ["name", "bell \u0007"],
    ["description", ""],
    ["description", "x".repeat(501)],
    ["description", "two\nlines"],
    ["description", "agk_dev_PWTCLzGa9eiB_Wl77wWJKgHq3Boo94bzIQz0i7xnG"],
    ["rateLimitPerMinute", 0],
    ["rateLimitPerMinute", -1],
    ["rateLimitPerMinute", 100_000_001],
  ])("%s: %j is rejected", async (field, value) => {
    const { id } = await mint(gateway);
    const problemsOf = ({ body }: Reply) => body.errors[0].extensions.problems;
    const updated = await desk.update(id, { [field]: value });
    expect([codeOf(updated), problemsOf(updated)[0].path]).toEqual(["invalid_request", `input.${field}`]);
    if (field === "name") return;
    const created = await desk.create({ name: name(), [field]: value });
    expect([codeOf(created), problemsOf(created)[0].path]).toEqual(["invalid_request", `input.${field}`]);
  });

  test("only an active key can be changed, and never with a key", async () => {
    const { id, secret } = await mint(gateway);
    expect(codeOf(await desk.update(id, { allowedNetworks: null }, { token: secret }))).toBe("forbidden");
    await desk.revoke(id);
    expect(codeOf(await desk.update(id, { description: "too late" }))).toBe("conflict");
  });

  test("a repeat of a mint must have the same settings", async () => {
    const idempotencyKey = name();
    const input = { name: name(), idempotencyKey, ...ALL };
    const first = (await desk.create(input)).body.data.createApiKey.apiKey;
    const repeated = { ...input, allowedNetworks: ["127.0.0.0/08", " 192.0.2.0/24"] };
    expect((await desk.create(repeated)).body.data.createApiKey.apiKey).toMatchObject(ALL);
    expect((await desk.find(first.id)).body.data.apiKey.state).toBe("revoked");
    const other = await desk.create({ ...input, rateLimitPerMinute: 31 });
    expect(codeOf(other)).toBe("idempotency_key_reused");
  });

  test("the command line mints and changes the settings of a key", async () => {
    const run = (...args: string[]) => runCliForJson(gateway.databaseUrl, "keys", ...args);
    const settings = ["--description", "by hand", "--rate-limit", "7", "--networks", "127.0.0.0/8, ::1/128"];
    const key = await run("create", "--agent", "first-agent", "--name", name(), ...settings);
    const minted = {
      description: "by hand",
      rateLimitPerMinute: 7,
      allowedNetworks: ["127.0.0.0/8", "::1/128"],
    };
    expect(key).toMatchObject(minted);
    const renamed = name();
    expect(await run("update", key.hint, "--name", renamed, "--no-networks")).toMatchObject({
      ...minted,
      name: renamed,
      allowedNetworks: null,
    });
    expect(await run("update", key.id, "--no-description", "--no-rate-limit")).toMatchObject(NONE);
    const rejected = await runCli(gateway.databaseUrl, ["keys", "update", key.id, "--networks", "10.0.0.1"]);
    expect([rejected.code, rejected.stderr]).toEqual([
      2,
      expect.stringContaining("gateway: --networks must be"),
    ]);
    const { stdout } = await runCli(gateway.databaseUrl, ["keys", "list"]);
    expect(stdout).toContain("ALLOWED NETWORKS");
  });
});
