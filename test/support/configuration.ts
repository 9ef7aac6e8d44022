import type { PublishConfigurationInput } from "../../src/features/configuration/configuration.inputs";
import { checkDocument } from "../../src/features/configuration/document/check-document";
import { CompiledConfiguration } from "../../src/features/configuration/document/compiled-configuration";
import type { ClauseResult } from "../../src/features/configuration/document/conditions/condition";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import type { Problem } from "../../src/features/configuration/document/problem";
import type { DecisionInput } from "../../src/features/configuration/document/read-situation";
import type { Call, Reply, TestGateway } from "./gateway";

/** The data of the situation `order.shipped` in tests. */
const DATA = {
  total: "double",
  count: "int",
  ok: "bool",
  at: "timestamp",
  text: "string",
  part: "string",
  lines: "list<string>",
  note: "string?",
};

/** Returns a document with one rule for `order.shipped`. */
export const documentWith = (rule: object, parts: object = {}) => ({
  format: 1,
  situations: { "order.shipped": DATA },
  rules: [{ id: "rule", on: "order.shipped", ...rule }],
  ...parts,
});

/** Compiles a document that must have no problems. */
export async function compile(document: object): Promise<CompiledConfiguration> {
  const { problems, document: checked } = await checkDocument(document);
  expect(problems).toEqual([]);
  if (!checked) throw new Error("The document has no valid structure.");
  return new CompiledConfiguration(checked, true);
}

export const compileChecked = (rule: object, parts: object = {}): Promise<CompiledConfiguration> =>
  compile(documentWith(rule, parts));

/** Returns a situation of type `order.shipped` about a contact. */
export const decisionInput = (data: Record<string, unknown> = {}): DecisionInput => ({
  situation: {
    type: "order.shipped",
    data: {
      total: 120,
      count: 3,
      ok: true,
      at: "2026-01-14T12:00:00Z",
      text: "Hello",
      part: "ell",
      lines: ["a", "b"],
      ...data,
    },
  },
  contact: {
    ref: "c-1",
    name: "Anna",
    locale: null,
    timezone: "Europe/Zurich",
    attributes: { plan: "pro", seats: 3 },
    tags: ["vip"],
    channels: ["email"],
  },
  conversation: null,
  message: null,
  agent: { slug: "support", name: "Support" },
  now: "2026-01-15T12:00:00.000Z",
  spent: [],
});

/** Evaluates a condition in CEL as the only condition of a rule for `order.shipped`. */
export async function evaluateCondition(
  source: string,
  data: Record<string, unknown> = {},
): Promise<ClauseResult> {
  const { rules } = evaluate(await compileChecked({ when: [source] }), decisionInput(data));
  const [clause] = rules[0]?.clauses ?? [];
  if (!clause) throw new Error("The rule has no condition.");
  return clause;
}

/** Returns the problems of a document whose only rule has this condition. */
export const problemsOf = async (source: string): Promise<Problem[]> =>
  (await checkDocument(documentWith({ when: [source] }))).problems;

const VERSION = "version digest note restoredFrom publishedAt publishedBy";
const PROBLEMS = "{ path message position { line column } }";
const CHECK = `{ problems ${PROBLEMS} warnings ${PROBLEMS} }`;

/** Calls the GraphQL fields of configurations, as the owner by default. */
export function configurationClient(gateway: TestGateway) {
  const call = (query: string, variables: object, more: Call = {}): Promise<Reply> =>
    gateway.graphql(query, variables as Record<string, unknown>, { token: gateway.owner, ...more });
  return {
    read: (agentId: string | undefined, version?: number, more?: Call) =>
      call(
        `query ($agentId: ID, $version: Int) { configuration(agentId: $agentId, version: $version) {
          ${VERSION} document lines { name kind address state isDefault } decider { kind model }
        } }`,
        { agentId, version },
        more,
      ),
    versions: (agentId: string, page: object = {}, more?: Call) =>
      call(
        `query ($agentId: ID!, $first: Int, $after: String) {
          configurationVersions(agentId: $agentId, first: $first, after: $after) {
            nodes { ${VERSION} } pageInfo { hasNextPage endCursor }
          }
        }`,
        { agentId, ...page },
        more,
      ),
    draft: (agentId: string, more?: Call) =>
      call(
        `query ($agentId: ID!) { configurationDraft(agentId: $agentId) {
          document revision basedOn updatedAt updatedBy
        } }`,
        { agentId },
        more,
      ),
    check: (document: unknown, more?: Call) =>
      call(
        `query ($document: JSONObject!) { checkConfiguration(document: $document) ${CHECK} }`,
        { document },
        more,
      ),
    save: (agentId: string, document: unknown, expectedRevision: number, more?: Call) =>
      call(
        `mutation ($agentId: ID!, $document: JSONObject!, $expectedRevision: Int!) {
          saveConfigurationDraft(input: { agentId: $agentId, document: $document, expectedRevision: $expectedRevision }) {
            draft { revision basedOn updatedBy } check ${CHECK}
          }
        }`,
        { agentId, document, expectedRevision },
        more,
      ),
    publish: (agentId: string, publication: Omit<PublishConfigurationInput, "agentId">, more?: Call) =>
      call(
        `mutation ($input: PublishConfigurationInput!) { publishConfiguration(input: $input) { ${VERSION} } }`,
        { input: { agentId, ...publication } },
        more,
      ),
  };
}
