import { named, type RouteGroup } from "../../schema/rest-route";
import { digestOf } from "./document/canonical-json";
import { INITIAL_DOCUMENT } from "./initial-document";

const CONFIGURATION = `{
  version digest publishedAt publishedBy document
  lines { name kind address state isDefault }
  decider { kind model }
}`;

const EXAMPLE = {
  version: 1,
  digest: digestOf(INITIAL_DOCUMENT),
  publishedAt: "2026-11-21T06:36:32.976Z",
  publishedBy: "command line",
  document: INITIAL_DOCUMENT,
  lines: [{ name: "main", kind: "local", state: "active", isDefault: true }],
  decider: { kind: "rules" },
};

/** Routes for the configuration of the API key's agent. */
export const configurationRoutes: RouteGroup = {
  tag: "Configuration",
  description:
    "The agent's rules and message texts. `GET /agent/configuration/schema` returns the JSON Schema of the documents and requires no key.",
  routes: [
    {
      operationId: "getConfiguration",
      summary: "Get the agent's live configuration",
      description: "The agent's live configuration, with the agent's lines.",
      method: "GET",
      path: "/agent/configuration",
      document: `query getConfiguration { configuration ${CONFIGURATION} }`,
      answers: "The live configuration.",
      example: { answer: EXAMPLE },
    },
    {
      operationId: "getConfigurationVersion",
      summary: "Get a version of the agent's configuration",
      description:
        "A published version, with the agent's current lines. Returns 404 if the version does not exist.",
      method: "GET",
      path: "/agent/configuration/:version",
      document: `query getConfigurationVersion($version: Int) {
        configuration(version: $version) ${CONFIGURATION}
      }`,
      pathParameters: [{ name: "version", variable: "version", example: 1 }],
      answers: "The version.",
      example: { answer: EXAMPLE },
    },
    {
      operationId: "runConfigurationTests",
      summary: "Run the tests of a configuration",
      description:
        "Runs the tests of the agent's live configuration, another version or a document, without storing or sending anything.",
      method: "POST",
      path: "/agent/configuration/tests",
      document: `query runConfigurationTests($against: ReplayAgainst) {
        runConfigurationTests(against: $against) {
          total failed
          results { testId passed ruleId outcome }
          differences { testId path message ruleId clause }
          coverage { ruleId matched clauses { met notMet } }
        }
      }`,
      bodyMembers: named("against"),
      errors: ["not_found"],
      // Not useful to a model, because a configuration cannot be saved or published with an API key.
      isForModels: false,
      answers: "The results of the tests, whether they pass or fail.",
      example: {
        body: { against: { version: 2 } },
        answer: {
          total: 1,
          failed: 0,
          results: [{ testId: "vip-order", passed: true, ruleId: "vip-shipped", outcome: "send" }],
          differences: [],
          coverage: [{ ruleId: "vip-shipped", matched: 1, clauses: [{ met: 1, notMet: 0 }] }],
        },
      },
    },
  ],
};
