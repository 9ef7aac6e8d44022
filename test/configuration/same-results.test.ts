import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { v7 as uuid } from "uuid";
import { test as testFile } from "../../src/cli/document-tests";
import { timestamp } from "../../src/common/time";
import { StartupError } from "../../src/errors";
import { CompiledConfiguration } from "../../src/features/configuration/document/compiled-configuration";
import type { ConfigurationDocument } from "../../src/features/configuration/document/format";
import { type TestDocument, testProblem } from "../../src/features/configuration/document/tests-format";
import { runTest } from "../../src/features/decisions/configuration-tests/run-test";
import { inputOf } from "../../src/features/decisions/configuration-tests/test-input";
import { Decision } from "../../src/features/decisions/decision.entity";
import { plan } from "../../src/features/decisions/plan";
import { compile } from "../support/configuration";
import fc from "../support/generated";
import { situation, validDocument } from "../support/generated-configurations";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";

const DOCUMENTS = cases(25);

/** Tests of a document; they may pass or fail. */
const tests = fc.array(
  fc.record({
    given: situation.filter(({ attributes }) => !Object.hasOwn(attributes, "__proto__")),
    rule: fc.nat(),
    outcome: fc.constantFrom("send", "silent", "handoff", "failed"),
  }),
  { minLength: 1, maxLength: 4 },
);
type Generated = typeof tests extends fc.Arbitrary<infer T> ? T : never;

/** Returns the tests of the generated situations, except tests that no document can contain. */
const testsOf = (generated: Generated, rules: readonly { id: string }[]): TestDocument[] =>
  generated.flatMap(({ given: { type, data, attributes, message, hasContact }, rule, outcome }, index) => {
    const test = {
      id: `t${index}`,
      now: "2026-01-15T12:00:00.000Z",
      situation: { type, data },
      ...(hasContact && { contact: { name: "Anna", tags: ["vip"], attributes } }),
      ...(message !== null && type === "message.received" && { message }),
      expect: { rule: rules[rule % (rules.length + 1)]?.id ?? null, outcome },
    };
    return testProblem(test) === undefined ? [test as TestDocument] : [];
  });

/** Returns the results as a string, without the source text of conditions, which the document contains. */
const bytesOf = ({ total, failed, results, differences, coverage }: Record<string, unknown>): string =>
  JSON.stringify({ total, failed, results, differences, coverage }, (name, value) =>
    name === "source" ? undefined : value,
  );

describeGateway({ engine: "any" }, (gateway) => {
  let directory: string;
  let agentId: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
    agentId = await firstAgentId(gateway);
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function byServer(document: object) {
    const { body } = await gateway.graphql(
      `query ($agentId: ID, $document: JSONObject!) {
        runConfigurationTests(agentId: $agentId, against: { document: $document }) {
          total failed results { testId passed ruleId outcome } differences { testId path message ruleId clause }
          coverage { ruleId matched clauses { met notMet } }
        }
      }`,
      { agentId, document },
      { token: gateway.owner },
    );
    return body.data.runConfigurationTests;
  }

  async function byCommandLine(document: object) {
    const file = join(directory, "document.json");
    await writeFile(file, JSON.stringify(document));
    let printed = "";
    const write = jest.spyOn(process.stdout, "write").mockImplementation((text) => {
      printed += text;
      return true;
    });
    try {
      await testFile(file, { json: true }).catch((error: unknown) =>
        expect(error).toBeInstanceOf(StartupError),
      );
    } finally {
      write.mockRestore();
    }
    return JSON.parse(printed);
  }

  /** Replays a decision about the situation of a test. */
  async function byReplay(document: object, test: TestDocument) {
    const { situation: given, ...snapshot } = inputOf(test);
    const configuration = new CompiledConfiguration(document as ConfigurationDocument, true);
    const made = (() => {
      try {
        return plan(configuration, { situation: given, ...snapshot });
      } catch {
        return { ruleId: null, effects: [] };
      }
    })();
    const id = uuid();
    await gateway.services.database.write((tx) =>
      tx.insert(Decision, {
        id,
        agentId,
        situation: given,
        situationType: given.type,
        snapshot: snapshot as object,
        configurationVersion: 1,
        decider: "rules",
        state: "decided",
        outcome: "silent",
        ruleId: made.ruleId,
        effects: made.effects as object[],
        createdAt: timestamp(),
        decidedAt: timestamp(),
      } as object),
    );
    const { body } = await gateway.graphql(
      `query ($id: ID!, $document: JSONObject!) {
        replayDecision(id: $id, against: { document: $document }) {
          status ruleId explanation { rules { ruleId matched clauses { value } } }
        }
      }`,
      { id, document },
      { token: gateway.owner },
    );
    return body.data.replayDecision;
  }

  test("the server, the command line and replays have the same results, byte for byte", async () => {
    const seen = { passed: 0, failed: 0, rejected: 0 };
    const check = async (generated: { rules: { id: string }[] }, situations: Generated) => {
      const document = { ...generated, tests: testsOf(situations, generated.rules) };
      await compile(document);
      const server = await byServer(document);
      expect(bytesOf(server)).toBe(bytesOf(await byCommandLine(document)));
      for (const { outcome, passed } of server.results)
        seen[outcome === null ? "rejected" : passed ? "passed" : "failed"] += 1;
      const [first] = document.tests;
      if (first === undefined) return;
      const replay = await byReplay(document, first);
      const [result] = server.results;
      const { outcome, rules } = runTest(await compile(document), first, 0);
      expect(replay.ruleId).toBe(result.ruleId);
      expect(replay.status).toBe(outcome === null ? "invalid" : "same");
      const shown = rules.map(({ ruleId, matched, clauses }) => ({
        ruleId,
        matched,
        clauses: clauses.map(({ value }) => ({ value })),
      }));
      expect(JSON.stringify(replay.explanation?.rules ?? [])).toBe(JSON.stringify(shown));
    };
    await fc.assert(fc.asyncProperty(validDocument, tests, check), { numRuns: DOCUMENTS });
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });
});
