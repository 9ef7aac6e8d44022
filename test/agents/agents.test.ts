import { v7 as uuid } from "uuid";
import { timestamp } from "../../src/common/time";
import { Agent } from "../../src/features/agents/agent.entity";
import { agentClient } from "../support/agents";
import { auditLog } from "../support/audit";
import { mint, operator, type Reply } from "../support/gateway";
import { apiKeyClient, expire, outcomeOf } from "../support/keys";
import { addMember, addOrganization, codeOf, firstAgentId } from "../support/people";
import { runCli, runCliForJson } from "../support/process";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const TOKEN = "agk_dev_PWTCLzGa9eiB_Wl77wWJKgHq3Boo94bzIQz0i7xnG";

describeGateway({ engine: "any" }, (gateway) => {
  const desk = agentClient(gateway);
  const keys = apiKeyClient(gateway);
  const messageOf = ({ body }: Reply): string => body.errors[0].message;
  const lastEntry = async (targetId: string) => (await auditLog(gateway, { targetId }))[0];

  test("a new agent has a line and a configuration, works with a key, and is in the audit log", async () => {
    const { body } = await desk.create({ slug: "support", name: "  Support bot " });
    const agent = body.data.createAgent;
    expect(agent).toEqual({ id: expect.any(String), slug: "support", name: "Support bot", deletedAt: null });
    expect(await desk.list()).toContainEqual(agent);
    const { secret } = await mint(gateway, { agent: "support" });
    expect((await gateway.rest("GET", "/agent/lines", { token: secret })).body).toMatchObject([
      { name: "main" },
    ]);
    expect((await gateway.rest("GET", "/agent/configuration", { token: secret })).body.version).toBe(1);
    const created = (await auditLog(gateway, { targetId: agent.id, action: "agent_created" }))[0];
    expect(created).toMatchObject({
      actorName: "owner@example.com",
      targetName: "support",
      changes: [{ field: "name", before: null, after: "Support bot" }],
    });
  });

  test("a repeat with the same idempotency key returns the same agent, as it is now", async () => {
    const input = { slug: "repeated", name: "Repeated", idempotencyKey: "one" };
    const replies = await Promise.all([desk.create(input), desk.create(input), desk.create(input)]);
    const ids = replies.map(({ body }) => body.data.createAgent.id);
    expect(new Set(ids).size).toBe(1);
    await desk.rename(ids[0], "Later");
    expect((await desk.create(input)).body.data.createAgent.name).toBe("Later");
    expect(codeOf(await desk.create({ ...input, name: "Other" }))).toBe("idempotency_key_reused");
    await desk.delete(ids[0]);
    expect(codeOf(await desk.create(input))).toBe("not_found");
  });

  test.each([
    ["slug", "With Capitals"],
    ["slug", ""],
    ["slug", "x".repeat(64)],
    ["slug", "two--hyphens"],
    ["name", " "],
    ["name", "x".repeat(201)],
    ["name", "bell \u0007"],
    ["name", "two\nlines"],
    ["name", `with ${TOKEN}`],
  ])("%s: %j is rejected", async (field, value) => {
    const { id } = await desk.add();
    const created = await desk.create({ slug: "rejected", name: "Rejected", [field]: value });
    expect([codeOf(created), created.body.errors[0].extensions.problems[0].path]).toEqual([
      "invalid_request",
      `input.${field}`,
    ]);
    if (field === "slug") return;
    expect(codeOf(await desk.rename(id, value))).toBe("invalid_request");
  });

  test("a rename is recorded with both names, and a rename to the same name is not recorded", async () => {
    const { id, slug } = await desk.add();
    expect((await desk.rename(id, " New name ")).body.data.renameAgent).toMatchObject({
      slug,
      name: "New name",
    });
    expect(await lastEntry(id)).toMatchObject({
      action: "agent_renamed",
      changes: [{ field: "name", before: `Agent ${slug}`, after: "New name" }],
    });
    const { id: last } = await lastEntry(id);
    await desk.rename(id, "New name");
    expect((await lastEntry(id)).id).toBe(last);
  });

  test("an agent with active keys is not deleted, and the error says how many there are", async () => {
    const { id, slug } = await desk.add();
    const [one, two, old] = [
      await mint(gateway, { agent: slug }),
      await mint(gateway, { agent: slug }),
      await mint(gateway, { agent: slug }),
    ];
    await expire(gateway, old.id);
    const rejected = await desk.delete(id);
    expect([codeOf(rejected), messageOf(rejected)]).toEqual([
      "conflict",
      "The agent has 2 active keys. Revoke them first.",
    ]);
    await keys.revoke(one.id);
    // The old key is still active during its grace period.
    const { id: next } = (await keys.rotate(two.id, 600)).body.data.rotateApiKey.apiKey;
    expect(messageOf(await desk.delete(id))).toContain("2 active keys");
    await keys.revoke(two.id);
    expect(messageOf(await desk.delete(id))).toBe("The agent has an active key. Revoke it first.");
    await keys.revoke(next);
    expect((await desk.delete(id)).body.data.deleteAgent).toMatchObject({
      id,
      deletedAt: expect.any(String),
    });
  });

  test("only the slug and the keys of a deleted agent are left", async () => {
    const { id, slug } = await desk.add();
    const key = await mint(gateway, { agent: slug });
    await keys.revoke(key.id);
    await desk.delete(id);
    expect((await desk.list()).map((agent: { id: string }) => agent.id)).not.toContain(id);
    expect(codeOf(await desk.delete(id))).toBe("not_found");
    expect(codeOf(await desk.rename(id, "Back"))).toBe("not_found");
    expect(codeOf(await keys.create({ name: "late", agentId: id }))).toBe("not_found");
    expect(codeOf(await keys.rotate(key.id))).toBe("conflict");
    const taken = await desk.create({ slug, name: "Again" });
    expect([codeOf(taken), messageOf(taken)]).toEqual([
      "conflict",
      `An agent "${slug}" already exists, or existed and was deleted.`,
    ]);
    expect(await outcomeOf(gateway, key.secret)).toBe("key_revoked");
    const query = "query ($id: ID!) { apiKeys(agentId: $id) { nodes { id agent { slug name deletedAt } } } }";
    const listed = await gateway.graphql(query, { id }, { token: gateway.owner });
    expect(listed.body.data.apiKeys.nodes).toEqual([
      { id: key.id, agent: { slug, name: `Agent ${slug}`, deletedAt: expect.any(String) } },
    ]);
    expect(await lastEntry(id)).toMatchObject({ action: "agent_deleted", targetName: slug });
  });

  test("every field about an agent says that a deleted one does not exist", async () => {
    const { id } = await desk.add();
    const { token } = await addMember(gateway, {
      permissions: ["config:manage", "conversations:read", "conversations:write"] as never,
    });
    await desk.delete(id);
    for (const field of [
      `lines(agentId: "${id}") { id }`,
      `contacts(agentId: "${id}") { nodes { id } }`,
      `contactByRef: contact(by: { ref: "x" }, agentId: "${id}") { id }`,
      `messages(agentId: "${id}") { nodes { id } }`,
      `conversations(agentId: "${id}") { nodes { id } }`,
      `decisions(agentId: "${id}") { nodes { id } }`,
      `events(agentId: "${id}") { nodes { id } }`,
      `configuration(agentId: "${id}") { version }`,
      `configurationDraft(agentId: "${id}") { revision }`,
      `configurationVersions(agentId: "${id}") { nodes { version } }`,
      `webhookEndpoints(agentId: "${id}") { id }`,
    ]) {
      const reply = await gateway.graphql(`{ ${field} }`, {}, { token });
      expect([field, codeOf(reply)]).toEqual([field, "not_found"]);
    }
  });

  test("the last agent of an organization can be deleted", async () => {
    const { agentId, manager } = await addOrganization(gateway, "emptied");
    expect(codeOf(await desk.delete(agentId, { token: manager.token }))).toBeUndefined();
    expect(await desk.list({ token: manager.token })).toEqual([]);
    expect(
      codeOf(await desk.create({ slug: "refilled", name: "New" }, { token: manager.token })),
    ).toBeUndefined();
  });

  slowTest("an organization has at most 200 agents, not counting deleted ones", async () => {
    const { manager } = await addOrganization(gateway, "crowded");
    const { services } = gateway;
    const context = await operator(gateway, "crowded");
    const { organizationId } = await services.agents.bySlug("crowded-agent");
    const crowd = Array.from({ length: 198 }, (_, i) => ({
      ...{ id: uuid(), organizationId, slug: `crowd-${i}` },
      ...{ name: "One", createdAt: timestamp() },
    }));
    await services.database.write((tx) => tx.insert(Agent, crowd));
    const create = (slug: string) => desk.create({ slug, name: "Last" }, { token: manager.token });
    const codes = (await Promise.all([create("crowd-a"), create("crowd-b")])).map(codeOf);
    expect(codes.sort()).toEqual(["limit_reached", undefined]);
    await services.agents.delete(context, (await services.agents.bySlug("crowd-0")).id);
    expect(codeOf(await create("crowd-c"))).toBeUndefined();
  });

  test("when an agent is deleted while a key is minted, exactly one of the two succeeds", async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 25; round++) {
      const { id } = await desk.add();
      const late = round % 2 === 0;
      const mintKey = () => keys.create({ name: "raced", agentId: id });
      const remove = () => desk.delete(id);
      const [first, second] = await Promise.all(late ? [remove(), mintKey()] : [mintKey(), remove()]);
      const [deleted, minted] = late ? [first, second] : [second, first];
      const outcome = `${codeOf(deleted) ?? "deleted"}, ${codeOf(minted) ?? "minted"}`;
      expect(["deleted, not_found", "conflict, minted"]).toContain(outcome);
      outcomes.add(outcome);
      if (codeOf(minted) === undefined)
        expect(await outcomeOf(gateway, minted.body.data.createApiKey.secret)).toBe("accepted");
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });

  test("one of several concurrent deletions succeeds", async () => {
    const { id } = await desk.add();
    const codes = (await Promise.all([1, 2, 3, 4].map(() => desk.delete(id)))).map(codeOf);
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === "not_found")).toHaveLength(3);
    const deletions = await auditLog(gateway, { targetId: id, action: "agent_deleted" });
    expect(deletions).toHaveLength(1);
  });

  slowTest("the command line renames and deletes agents, and lists the keys of deleted ones", async () => {
    const run = (...args: string[]) => runCliForJson(gateway.databaseUrl, ...args);
    const fails = async (...args: string[]) => (await runCli(gateway.databaseUrl, args)).stderr;
    await run("agents", "add", "--org", "first", "--slug", "by-hand", "--name", "By hand");
    expect(await run("agents", "rename", "by-hand", "Renamed")).toMatchObject({
      slug: "by-hand",
      name: "Renamed",
    });
    const key = await run("keys", "create", "--agent", "by-hand", "--name", "its key");
    expect(await fails("agents", "delete", "by-hand", "--yes")).toContain("has an active key");
    await run("keys", "revoke", key.hint);
    expect(await run("agents", "delete", "by-hand")).toMatchObject({ deletedAt: expect.any(String) });
    expect(await fails("agents", "delete", "by-hand", "--yes")).toContain('no agent "by-hand"');
    const agents = await run("agents", "list", "--org", "first", "--all");
    expect(agents.map(({ slug }: { slug: string }) => slug)).not.toContain("by-hand");
    const listed = await run("keys", "list", "--state", "revoked");
    expect(listed).toContainEqual(expect.objectContaining({ id: key.id, agent: "by-hand" }));
    expect(await fails("keys", "create", "--agent", "by-hand", "--name", "late")).toContain("no agent");
    expect(await firstAgentId(gateway)).toBeTruthy();
  });
});
