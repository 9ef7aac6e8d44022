import type { PublishConfigurationInput } from "../../src/features/configuration/configuration.inputs";
import { digestOf } from "../../src/features/configuration/document/canonical-json";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import { INITIAL_DOCUMENT } from "../../src/features/configuration/initial-document";
import { agentClient } from "../support/agents";
import { auditLog } from "../support/audit";
import { decisionInput } from "../support/configuration";
import { operator } from "../support/gateway";
import { addOrganization, firstAgentId, operatorOfAgent } from "../support/people";
import { describeGateway } from "../support/suite";

const DOCUMENT = { format: 1, rules: [{ id: "a", on: "*", do: [{ handoff: "first" }] }] };
const OTHER = { format: 1, rules: [{ id: "a", on: "*", do: [{ handoff: "second" }] }] };

describeGateway({ engine: "any" }, (gateway) => {
  /** Creates an agent, and returns the calls that its operator makes. */
  async function newAgent() {
    const { id: agentId, slug } = await agentClient(gateway).add();
    const context = await operatorOfAgent(gateway, agentId);
    const { configurations } = gateway.services;
    return {
      agentId,
      slug,
      live: () => configurations.find(context, agentId),
      version: (version: number) => configurations.find(context, agentId, version),
      /** The numbers of a page of versions, and the cursor of the next one. */
      versions: async (first: number, after: string | null = null) => {
        const { nodes, pageInfo } = await configurations.versions(context, { agentId, first, after });
        return {
          numbers: nodes.map(({ version }) => version),
          next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
        };
      },
      draft: () => configurations.draft(context, agentId),
      save: (document: Record<string, unknown>, expectedRevision: number, expectedBasedOn?: number) =>
        configurations.saveDraft(context, agentId, document, expectedRevision, expectedBasedOn),
      publish: (publication: Omit<PublishConfigurationInput, "agentId">) =>
        configurations.publish(context, { agentId, ...publication }),
    };
  }
  type TestAgent = Awaited<ReturnType<typeof newAgent>>;

  async function published(agent: TestAgent, document: Record<string, unknown>, expectedLiveVersion: number) {
    await agent.save(document, 0);
    return agent.publish({ expectedLiveVersion });
  }

  test("the first start and every new agent have a version 1 that works", async () => {
    const first = await operatorOfAgent(gateway, await firstAgentId(gateway));
    const ofFirstStart = await gateway.services.configurations.find(first, await firstAgentId(gateway));
    const ofNewAgent = await (await newAgent()).live();
    for (const live of [ofFirstStart, ofNewAgent]) {
      expect(live).toMatchObject({
        version: 1,
        document: INITIAL_DOCUMENT,
        digest: digestOf(INITIAL_DOCUMENT),
      });
      if (!live) throw new Error("There is no live version.");
      const input = { ...decisionInput(), situation: { type: "order.shipped", data: { orderId: "A1" } } };
      expect(evaluate(gateway.services.compiledConfigurations.of(live), input)).toMatchObject({
        ruleId: "order-shipped",
        effects: [{ kind: "send", text: "Hi Anna, your order A1 is on its way." }],
      });
    }
  });

  test("a draft is saved despite its problems, which it reports", async () => {
    const agent = await newAgent();
    expect(await agent.draft()).toBeNull();
    const { draft, check } = await agent.save({ format: 2 }, 0);
    expect(draft).toMatchObject({
      revision: 1,
      basedOn: 1,
      document: { format: 2 },
      updatedBy: "command line",
    });
    expect(check.problems).toEqual([{ path: "format", message: "must be 1" }]);
    expect(await agent.draft()).toEqual(draft);
    await expect(agent.publish({ expectedLiveVersion: 1 })).rejects.toMatchObject({
      code: "invalid_request",
      problems: [{ path: "format", message: "must be 1" }],
    });
    await expect(agent.save({ text: "x".repeat(256 * 1024) }, 1)).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(await agent.live()).toMatchObject({ version: 1 });
  });

  test("documents are checked one after the other", async () => {
    const { configurations } = gateway.services;
    const context = await operator(gateway);
    const text = "{{ contact.name }}".repeat(1_000);
    const templates = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`t${i}`, text]));
    const ended: string[] = [];
    await Promise.all([
      configurations.check(context, { format: 1, templates }).then(() => ended.push("long")),
      configurations.check(context, { format: 1 }).then(() => ended.push("short")),
    ]);
    expect(ended).toEqual(["long", "short"]);
  });

  test("a draft that another member has saved is not overwritten", async () => {
    const agent = await newAgent();
    await expect(agent.save(DOCUMENT, 1)).rejects.toMatchObject({
      code: "version_conflict",
      message: "There is no draft.",
    });
    const saves = await Promise.allSettled([1, 2, 3].map(() => agent.save(DOCUMENT, 0)));
    expect(saves.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const late = { reason: { code: "version_conflict", message: "The draft is at revision 1." } };
    expect(saves.filter(({ status }) => status === "rejected")).toMatchObject([late, late]);
    expect(await agent.draft()).toMatchObject({ revision: 1 });
    await expect(agent.save(DOCUMENT, 0)).rejects.toMatchObject({
      code: "version_conflict",
      message: "The draft is at revision 1.",
    });
    await agent.save(OTHER, 1);
    expect(await agent.draft()).toMatchObject({ revision: 2, document: OTHER });
  });

  test("a draft is not mistaken for an earlier draft with the same revision, or for none", async () => {
    const agent = await newAgent();
    await agent.save(DOCUMENT, 0, 1);
    await agent.publish({ expectedLiveVersion: 1 });
    const conflict = { code: "version_conflict", message: "Version 2 has been published." };
    await expect(agent.save(DOCUMENT, 0, 1)).rejects.toMatchObject(conflict);
    expect(await agent.draft()).toBeNull();
    await agent.save(OTHER, 0, 2);
    await expect(agent.save(DOCUMENT, 1, 1)).rejects.toMatchObject(conflict);
    await agent.publish({ expectedLiveVersion: 2, fromVersion: 1 });
    await agent.save(OTHER, 1, 2);
    expect(await agent.draft()).toMatchObject({ revision: 2, basedOn: 2, document: OTHER });
  });

  test("publishing makes the draft the live version, and no draft is left", async () => {
    const agent = await newAgent();
    await agent.save(DOCUMENT, 0);
    const version = await agent.publish({ expectedLiveVersion: 1, note: "the first" });
    expect(version).toMatchObject({
      version: 2,
      document: DOCUMENT,
      digest: digestOf(DOCUMENT),
      note: "the first",
      restoredFrom: null,
      publishedBy: "command line",
    });
    expect(await agent.live()).toEqual(version);
    expect(await agent.draft()).toBeNull();
    await expect(agent.publish({ expectedLiveVersion: 1 })).rejects.toMatchObject({
      code: "version_conflict",
      message: "Version 2 is live.",
    });
    await expect(agent.publish({ expectedLiveVersion: 2 })).rejects.toMatchObject({
      code: "not_found",
      message: "The draft does not exist.",
    });
    const [entry] = await auditLog(gateway, { targetId: agent.agentId });
    expect(entry).toMatchObject({
      action: "configuration_published",
      targetName: agent.slug,
      changes: [
        { field: "version", before: "1", after: "2" },
        { field: "digest", before: digestOf(INITIAL_DOCUMENT), after: digestOf(DOCUMENT) },
        { field: "note", before: null, after: "the first" },
      ],
    });
  });

  test("a draft that has changed since it was reviewed is not published", async () => {
    const agent = await newAgent();
    await agent.save(DOCUMENT, 0);
    await agent.save(OTHER, 1);
    await expect(agent.publish({ expectedLiveVersion: 1, expectedRevision: 1 })).rejects.toMatchObject({
      code: "version_conflict",
      message: "The draft is at revision 2.",
    });
    expect(await agent.publish({ expectedLiveVersion: 1, expectedRevision: 2 })).toMatchObject({
      document: OTHER,
    });
  });

  test("when two members publish at the same time, one succeeds", async () => {
    const agent = await newAgent();
    await published(agent, DOCUMENT, 1);
    const publications = await Promise.allSettled(
      [1, 1, 1].map((fromVersion) => agent.publish({ expectedLiveVersion: 2, fromVersion })),
    );
    expect(publications.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(publications.filter(({ status }) => status === "rejected")).toMatchObject([
      { reason: { code: "version_conflict", message: "Version 3 is live." } },
      { reason: { code: "version_conflict", message: "Version 3 is live." } },
    ]);
    await agent.save(OTHER, 0);
    const ofDraft = await Promise.allSettled([1, 2].map(() => agent.publish({ expectedLiveVersion: 3 })));
    expect(ofDraft.filter(({ status }) => status === "rejected")).toMatchObject([
      { reason: { code: "version_conflict", message: "Version 4 is live." } },
    ]);
    expect(await agent.live()).toMatchObject({ version: 4, document: OTHER });
  });

  test("a rollback is a new version with the digest of the old one, and keeps the draft", async () => {
    const agent = await newAgent();
    const second = await published(agent, DOCUMENT, 1);
    await published(agent, OTHER, 2);
    await agent.save(OTHER, 0);
    expect(await agent.publish({ expectedLiveVersion: 3, fromVersion: 2 })).toMatchObject({
      version: 4,
      restoredFrom: 2,
      document: DOCUMENT,
      digest: second.digest,
    });
    expect(await agent.draft()).toMatchObject({ revision: 1, basedOn: 3 });
    await expect(agent.publish({ expectedLiveVersion: 4, fromVersion: 9 })).rejects.toMatchObject({
      code: "not_found",
    });
    const newest = await agent.versions(2);
    expect(newest).toEqual({ numbers: [4, 3], next: expect.any(String) });
    expect(await agent.versions(2, newest.next)).toEqual({ numbers: [2, 1], next: null });
    expect(await agent.version(2)).toEqual(second);
    expect(await agent.version(9)).toBeNull();
  });

  test("the configuration of another organization's agent does not exist", async () => {
    const agent = await newAgent();
    const { agentId } = await addOrganization(gateway, "other-configurations");
    const other = await operatorOfAgent(gateway, agentId);
    const { configurations } = gateway.services;
    const calls = [
      () => configurations.find(other, agent.agentId),
      () => configurations.versions(other, { agentId: agent.agentId, first: 1, after: null }),
      () => configurations.draft(other, agent.agentId),
      () => configurations.saveDraft(other, agent.agentId, DOCUMENT, 0),
      () => configurations.publish(other, { agentId: agent.agentId, expectedLiveVersion: 1, fromVersion: 1 }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "not_found" });
  });
});
