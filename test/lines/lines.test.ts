import { actionsOn, auditLog } from "../support/audit";
import { startGateway } from "../support/gateway";
import { lineClient } from "../support/lines";
import { addAgent, addOrganization, codeOf, firstAgentId } from "../support/people";
import { whileUnavailable } from "../support/retries";
import { describeGateway } from "../support/suite";

const MAIN = {
  name: "main",
  kind: "local",
  state: "active",
  isDefault: true,
  ratePerMinute: null,
  expireAfterSeconds: 259_200,
  version: 1,
};

describeGateway({ engine: "any" }, (gateway, engine) => {
  const client = lineClient(gateway);

  const linesOf = async (agentId: string) => (await client.list(agentId)).body.data.lines;
  const mainOf = async (agentId: string) =>
    (await linesOf(agentId)).find(({ name }: { name: string }) => name === "main");
  const created = async (agentId: string, name: string, more = {}) =>
    (await client.create({ agentId, name, ...more })).body.data.createLine.line;

  test("the first start and every new agent have a local line, main, which is the default", async () => {
    for (const agentId of [await firstAgentId(gateway), (await addAgent(gateway)).id]) {
      const lines = await linesOf(agentId);
      expect(lines).toMatchObject([MAIN]);
      expect(await actionsOn(gateway, lines[0].id)).toEqual(["line_created"]);
    }
  });

  test("a key reads the lines of its agent through both APIs, ordered by name", async () => {
    const { id: agentId, token } = await addAgent(gateway);
    for (const name of ["support", "alerts"]) await created(agentId, name);
    const { body: fromRest } = await gateway.rest("GET", "/agent/lines", { token });
    const { lines: fromGraphql } = (await client.list(undefined, { token })).body.data;
    expect(fromRest.map(({ name }: { name: string }) => name)).toEqual(["alerts", "main", "support"]);
    const withoutNulls = (value: unknown) =>
      JSON.parse(JSON.stringify(value), (_, each) => each ?? undefined);
    expect(fromRest).toEqual(withoutNulls(fromGraphql));
  });

  test("a new line has the requested settings, and is not the default", async () => {
    const { id: agentId } = await addAgent(gateway);
    const line = await created(agentId, "alerts", { ratePerMinute: 30, expireAfterSeconds: 600 });
    expect(line).toMatchObject({
      ...MAIN,
      name: "alerts",
      isDefault: false,
      ratePerMinute: 30,
      expireAfterSeconds: 600,
    });
    const [entry] = await auditLog(gateway, { targetId: line.id });
    expect(entry).toMatchObject({
      action: "line_created",
      targetName: "alerts",
      changes: [
        { field: "kind", before: null, after: "local" },
        { field: "ratePerMinute", before: null, after: "30" },
        { field: "expireAfterSeconds", before: null, after: "600" },
      ],
    });
  });

  test("a change keeps omitted settings, null restores the default, and the log contains only differences", async () => {
    const { id } = await created((await addAgent(gateway)).id, "before", {
      ratePerMinute: 30,
      expireAfterSeconds: 600,
    });
    const renamed = (await client.update({ id, name: "after" })).body.data.updateLine;
    expect(renamed).toMatchObject({ name: "after", ratePerMinute: 30, expireAfterSeconds: 600, version: 2 });
    const cleared = await client.update({ id, ratePerMinute: null, expireAfterSeconds: null });
    expect(cleared.body.data.updateLine).toMatchObject({
      name: "after",
      ratePerMinute: null,
      expireAfterSeconds: 259_200,
      version: 3,
    });
    const same = await client.update({ id, name: "after" });
    expect(same.body.data.updateLine.version).toBe(3);
    const [second, first] = await auditLog(gateway, { targetId: id });
    expect(first.changes).toEqual([{ field: "name", before: "before", after: "after" }]);
    expect(second.changes).toEqual([
      { field: "ratePerMinute", before: "30", after: null },
      { field: "expireAfterSeconds", before: "600", after: "259200" },
    ]);
  });

  test("a change based on another version is rejected and names the current one", async () => {
    const { id } = await created((await addAgent(gateway)).id, "versioned");
    expect(codeOf(await client.update({ id, name: "second", expectedVersion: 1 }))).toBeUndefined();
    const late = await client.update({ id, name: "third", expectedVersion: 1 });
    expect([late.status, codeOf(late)]).toEqual([409, "version_conflict"]);
    expect(late.body.errors[0].message).toBe("The line is at version 2.");
  });

  test("a line is paused, resumed, archived and resumed; repeating a step changes and writes nothing", async () => {
    const { id } = await created((await addAgent(gateway)).id, "stateful");
    const twice = async (step: () => ReturnType<typeof client.resume>) => {
      const [first, second] = [await step(), await step()].map(({ body }) => Object.values(body.data)[0]);
      expect(second).toEqual(first);
      return first;
    };
    expect(await twice(() => client.pause(id, "maintenance"))).toMatchObject({
      state: "paused",
      pausedReason: "maintenance",
      version: 2,
    });
    expect(await twice(() => client.resume(id))).toMatchObject({ state: "active", pausedReason: null });
    expect(await twice(() => client.archive(id))).toMatchObject({ state: "archived", version: 4 });
    expect(codeOf(await client.pause(id))).toBe("conflict");
    expect(codeOf(await client.setDefault(id))).toBe("conflict");
    expect(await twice(() => client.resume(id))).toMatchObject({ state: "active", version: 5 });
    expect(await actionsOn(gateway, id)).toEqual([
      "line_created",
      "line_paused",
      "line_resumed",
      "line_archived",
      "line_resumed",
    ]);
  });

  test("an agent has one default line, which cannot be archived", async () => {
    const { id: agentId } = await addAgent(gateway);
    const { id } = await created(agentId, "next");
    const main = await mainOf(agentId);
    expect(codeOf(await client.archive(main.id))).toBe("conflict");
    expect((await client.setDefault(id)).body.data.setDefaultLine).toMatchObject({
      isDefault: true,
      version: 2,
    });
    expect(await mainOf(agentId)).toMatchObject({ isDefault: false, version: 2 });
    expect((await client.setDefault(id)).body.data.setDefaultLine.version).toBe(2);
    const [entry] = await auditLog(gateway, { targetId: id });
    expect(entry).toMatchObject({
      action: "default_line_set",
      changes: [{ field: "defaultLine", before: "main", after: "next" }],
    });
    expect(codeOf(await client.archive(main.id))).toBeUndefined();
  });

  test("a name belongs to one line of an agent, even after that is archived", async () => {
    const [agentId, other] = [(await addAgent(gateway)).id, (await addAgent(gateway)).id];
    const { id } = await created(agentId, "taken");
    await client.archive(id);
    expect(codeOf(await client.create({ agentId, name: "taken" }))).toBe("conflict");
    const { id: second } = await created(agentId, "free");
    expect(codeOf(await client.update({ id: second, name: "taken" }))).toBe("conflict");
    expect((await created(other, "taken")).name).toBe("taken");
  });

  test("a retry with the same idempotency key returns the first line", async () => {
    const { id: agentId } = await addAgent(gateway);
    const input = { agentId, name: "retried", idempotencyKey: `retry ${agentId}` };
    const replies = await Promise.all(Array.from({ length: 5 }, () => client.create(input)));
    expect(new Set(replies.map(({ body }) => body.data.createLine.line.id)).size).toBe(1);
    expect(codeOf(await client.create({ ...input, name: "another" }))).toBe("idempotency_key_reused");
    expect(await linesOf(agentId)).toHaveLength(2);
  });

  describe("at two servers", () => {
    let other: typeof gateway;
    beforeAll(async () => {
      other = await startGateway(engine, { database: { url: gateway.databaseUrl } });
    });
    afterAll(() => other.close());
    const clients = () => [client, lineClient(other)] as const;

    test("concurrent creations leave 50 lines, and the rest reaches the limit", async () => {
      const { id: agentId } = await addAgent(gateway);
      const replies = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          whileUnavailable(() =>
            clients()[(i % 2) as 0 | 1].create({
              agentId,
              name: `line-${i}`,
              idempotencyKey: `${agentId} ${i}`,
            }),
          ),
        ),
      );
      const codes = replies.map(codeOf);
      expect(codes.filter((code) => code === undefined)).toHaveLength(49);
      expect(codes.filter((code) => code === "limit_reached")).toHaveLength(11);
      expect(await linesOf(agentId)).toHaveLength(50);
    });

    test("concurrent changes to the default leave one default, and none fails", async () => {
      const { id: agentId } = await addAgent(gateway);
      const lines = await Promise.all(["a", "b", "c", "d"].map((name) => created(agentId, name)));
      const replies = await Promise.all(
        Array.from({ length: 24 }, (_, i) =>
          whileUnavailable(() => clients()[(i % 2) as 0 | 1].setDefault(lines[i % 4].id)),
        ),
      );
      expect(replies.map(codeOf)).toEqual(replies.map(() => undefined));
      const defaults = (await linesOf(agentId)).filter(({ isDefault }: { isDefault: boolean }) => isDefault);
      expect(defaults).toHaveLength(1);
    });
  });

  test("two defaults of one agent are rejected by the database itself", async () => {
    const { id } = await created((await addAgent(gateway)).id, "second");
    const write = gateway.rows.execute("update line set is_default = true where id = $1", [id]);
    await expect(write).rejects.toThrow();
  });

  test("a key cannot reach another agent's lines, even within the organization", async () => {
    const { id: agentId } = await addAgent(gateway);
    const { id } = await created(agentId, "not-of-the-first");
    const reply = await gateway.rest("GET", "/agent/lines");
    expect(reply.text).not.toContain(id);
    const named = await client.list(agentId, { token: gateway.key });
    expect([named.status, codeOf(named)]).toEqual([400, "invalid_request"]);
    expect(named.body.errors[0].extensions.problems).toEqual([
      { path: "agentId", message: "is not allowed with an API key" },
    ]);
  });

  test.each<[string, unknown]>([
    ["name", ""],
    ["name", "Main"],
    ["name", "two words"],
    ["name", "a--b"],
    ["name", "x".repeat(64)],
    ["name", "nul\0"],
    ["name", "\ud800"],
    ["ratePerMinute", 0],
    ["ratePerMinute", 10_001],
    ["expireAfterSeconds", 59],
    ["expireAfterSeconds", 2_592_001],
    ["idempotencyKey", ""],
    ["idempotencyKey", "x".repeat(256)],
  ])("%s %j is rejected at creation and at a change", async (field, value) => {
    const agentId = await firstAgentId(gateway);
    const reply = await client.create({ agentId, name: "rejected", [field]: value });
    expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
    expect(reply.body.errors[0].extensions.problems[0].path).toBe(`input.${field}`);
    if (field === "idempotencyKey") return;
    const { id } = await mainOf(agentId);
    expect(codeOf(await client.update({ id, [field]: value }))).toBe("invalid_request");
    expect(await mainOf(agentId)).toMatchObject(MAIN);
  });

  test("other bad input is rejected: unknown kinds, null as a name, reasons, unknown agents and lines", async () => {
    const agentId = await firstAgentId(gateway);
    const { id } = await mainOf(agentId);
    const { agentId: theirs } = await addOrganization(gateway, `others-${agentId.slice(-8)}`);
    const unknown = "018f0000-0000-7000-8000-000000000000";
    for (const [reply, code] of [
      [await client.create({ agentId, name: "text", settings: { sms: {} } }), "invalid_request"],
      [await client.update({ id, name: null }), "invalid_request"],
      [await client.update({ id, expectedVersion: 2 ** 31 }), "invalid_request"],
      [await client.pause(id, ""), "invalid_request"],
      [await client.pause(id, "x".repeat(201)), "invalid_request"],
      [await client.pause(id, "two\nlines"), "invalid_request"],
      [await client.pause(id, `because ${gateway.key}`), "invalid_request"],
      [await client.list(undefined), "invalid_request"],
      [await client.list(theirs), "not_found"],
      [await client.list("nul\0"), "not_found"],
      [await client.create({ agentId: unknown, name: "x" }), "not_found"],
      [await client.pause(unknown), "not_found"],
      [await client.update({ id: "\0", name: "x" }), "not_found"],
    ] as const)
      expect(codeOf(reply)).toBe(code);
    expect(await mainOf(agentId)).toMatchObject(MAIN);
  });
});
