import type { Environment } from "@marcbachmann/cel-js";
import { type BaseType, type DataDeclaration, type DataType, parseDataType } from "../data-types";
import { ANY_SITUATION, MESSAGE_RECEIVED } from "../shapes";

const CEL_TYPES: Readonly<Record<BaseType, string>> = {
  string: "string",
  int: "int",
  double: "double",
  bool: "bool",
  timestamp: "google.protobuf.Timestamp",
  "list<string>": "list<string>",
};

/** A string that can be null. */
const NULLABLE = "dyn<string>";

/**
 * Returns a member's CEL type. `dyn<T>` may be null. Optional lists are unchecked, because the library mistakes
 * their items for lists.
 */
function celTypeOf(type: DataType): string {
  const { base, isOptional } = parseDataType(type);
  if (!isOptional) return CEL_TYPES[base];
  return base === "list<string>" ? "dyn" : `dyn<${CEL_TYPES[base]}>`;
}

const never = () => {
  throw new Error("Conditions must not be evaluated by the library.");
};

/** The environment that all others extend. Created on first use, because it loads the CEL library. */
export const commonEnvironment = (() => {
  let environment: Environment | undefined;
  return () => {
    if (environment) return environment;
    const { Environment }: typeof import("@marcbachmann/cel-js") = require("@marcbachmann/cel-js");
    environment = new Environment({ limits: { maxDepth: 50, maxAstNodes: 2_000, maxListElements: 500 } })
      .registerType("Contact", {
        fields: {
          ref: NULLABLE,
          name: NULLABLE,
          locale: NULLABLE,
          timezone: NULLABLE,
          attributes: "map<string, dyn>",
          tags: "list<string>",
          channels: "list<string>",
        },
      })
      .registerType("Conversation", {
        fields: { id: "string", line: "string", handler: "string", state: "string" },
      })
      .registerType("Message", { fields: { text: "string", subject: "string", sequence: "int" } })
      .registerType("Agent", { fields: { slug: "string", name: "string" } })
      .registerOperator("Contact == null", never)
      .registerOperator("Conversation == null", never)
      .registerOperator("Message == null", never)
      .registerVariable("contact", "Contact")
      .registerVariable("conversation", "Conversation")
      .registerVariable("agent", "Agent")
      .registerVariable("now", "google.protobuf.Timestamp");
    return environment;
  };
})();

/** Returns the types of the values in situations of a type, or of any type if `data` is undefined. */
export function environmentOf(type: string, data: DataDeclaration | undefined): Environment {
  // The library stores every type name permanently, so names must never come from a document.
  const environment = commonEnvironment().clone();
  if (data) {
    const fields = Object.entries(data).map(([name, each]) => [name, celTypeOf(each)]);
    environment.registerType("Data", { fields: Object.fromEntries(fields) });
  }
  const hasMessage = type === MESSAGE_RECEIVED || type === ANY_SITUATION;
  return environment
    .registerType("Situation", { fields: { type: "string", data: data ? "Data" : "map<string, dyn>" } })
    .registerVariable("situation", "Situation")
    .registerVariable("message", hasMessage ? "Message" : "null");
}
