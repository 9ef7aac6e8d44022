import type { RouteGroup } from "../../schema/rest-route";
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

/** The configuration of the agent that a key resolves to. */
export const configurationRoutes: RouteGroup = {
  tag: "Configuration",
  description:
    "The agent's rules and message texts. `GET /agent/configuration/schema` returns the JSON Schema of the documents; no key is required.",
  routes: [
    {
      operationId: "getConfiguration",
      summary: "Get the agent's live configuration",
      description: "The agent's live configuration, with its lines.",
      method: "GET",
      path: "/agent/configuration",
      document: `query getConfiguration { configuration ${CONFIGURATION} }`,
      status: 200,
      result: ["configuration"],
      answers: "The live configuration.",
      example: { answer: EXAMPLE },
    },
    {
      operationId: "getConfigurationVersion",
      summary: "Get a version of the agent's configuration",
      description: "A published version, with the agent's current lines; 404 if it does not exist.",
      method: "GET",
      path: "/agent/configuration/:version",
      document: `query getConfigurationVersion($version: Int) {
        configuration(version: $version) ${CONFIGURATION}
      }`,
      pathParameters: [{ name: "version", variable: "version", example: 1 }],
      status: 200,
      result: ["configuration"],
      answers: "The version.",
      example: { answer: EXAMPLE },
    },
  ],
};
