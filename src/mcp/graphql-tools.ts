import type { Tool } from "@modelcontextprotocol/server";
import { type GraphQLOutputType, type GraphQLSchema, GraphQLString } from "graphql";
import { authorize, isAllowed } from "../auth/authorize";
import type { RequestContext } from "../auth/context";
import { type InputProblem, InvalidInput } from "../errors";
import { MAX } from "../graphql/query-limits/limits";
import type { RunOperation } from "../graphql/run-operation";
import { jsonTypeOf, type Member, objectType } from "../rest/json-types";
import { SchemaSearch } from "./schema-search";
import { compacted } from "./tool-schemas";
import { type Arguments, type McpTool, THIRD_PARTY, type ToolAnswer, withoutUnused } from "./tools";

/** The scope that the tools require in addition to the scopes of the fields. */
const ACCESS = { allowed: { key: "mcp:graphql" }, whileDeactivated: false } as const;

const WORDS_MAX_LENGTH = 200;

/** Creates the tools for models that know GraphQL: one searches the schema, the other runs documents. */
export function graphqlTools(schema: GraphQLSchema, run: RunOperation): McpTool[] {
  const search = new SchemaSearch(schema);
  const json = schema.getType("JSONObject") as GraphQLOutputType;
  return [
    toolOf({
      name: "searchSchema",
      title: "Search the GraphQL schema",
      description:
        "Finds fields and types that the key may use with runGraphql. Returns: The best matches, in SDL.",
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      members: [text("words", WORDS_MAX_LENGTH, "Words from names and descriptions.")],
      call: async ({ words }, { caller }) => ({
        text: search.search(String(words), caller),
        structured: undefined,
      }),
    }),
    toolOf({
      name: "runGraphql",
      title: "Run a GraphQL document",
      description: `Runs a query or mutation with the key's scopes. Returns: The JSON of data and errors. ${THIRD_PARTY}`,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      members: [
        text("document", MAX.characters),
        { name: "variables", key: "variables", json: jsonTypeOf(json), required: false, takesNull: true },
      ],
      call: async ({ document, variables }, context) => {
        const result = await run(
          { document: String(document), variables: (variables ?? {}) as Record<string, unknown> },
          context,
        );
        return {
          text: JSON.stringify(result),
          structured: undefined,
          isError: result.errors !== undefined,
        };
      },
    }),
  ];
}

const text = (name: string, maxLength: number, description?: string): Member => ({
  name,
  key: name,
  json: jsonTypeOf(GraphQLString, {
    rule: { maxLength },
    check: (value) =>
      String(value).length > maxLength ? `must have at most ${maxLength} characters` : undefined,
  }),
  required: true,
  takesNull: false,
  description,
});

/** Creates a tool that checks the scope and decodes its arguments. */
function toolOf({
  members,
  call,
  ...definition
}: Pick<Tool, "name" | "title" | "description" | "annotations"> & {
  members: readonly Member[];
  call(args: Arguments, context: RequestContext): Promise<ToolAnswer>;
}): McpTool {
  const type = objectType(members);
  const inputSchema = compacted(type.schema) as Tool["inputSchema"];
  return {
    definition: { ...definition, inputSchema },
    isFor: (caller) => isAllowed(caller, ACCESS, false),
    call: async (args, context) => {
      authorize(context.caller, ACCESS, false);
      const problems: InputProblem[] = [];
      const decoded = type.decode(withoutUnused(args, inputSchema), {
        path: "",
        source: "argument",
        problems,
      });
      if (problems.length > 0) throw new InvalidInput(problems);
      return call(decoded as Arguments, context);
    },
  };
}
