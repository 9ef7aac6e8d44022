import type { Json } from "./document-text";

/** A short working configuration for an agent that has no rules yet. */
export const EXAMPLE: Json = {
  format: 1,
  situations: { "order.shipped": { orderId: "string" } },
  templates: {
    shipped:
      'Hi {{ contact.name | default: "there" }}, your order {{ situation.data.orderId }} is on its way.',
  },
  rules: [{ id: "order-shipped", on: "order.shipped", do: [{ send: "shipped" }] }],
  otherwise: [],
};

/** True if a configuration has no rules and no effects for other situations. */
export const doesNothing = ({ rules, otherwise }: Json): boolean =>
  [rules, otherwise].every((part) => !Array.isArray(part) || part.length === 0);

/** Returns sample data for a declared situation, with a value of the right type for each member. */
const exampleData = (members: unknown): Json =>
  Object.fromEntries(
    Object.entries((members ?? {}) as Json).map(([name, type]) => [name, exampleValue(name, String(type))]),
  );

function exampleValue(name: string, type: string): unknown {
  switch (type.replace("?", "")) {
    case "int":
      return 1;
    case "double":
      return 12.5;
    case "bool":
      return true;
    case "timestamp":
      return "2026-01-31T12:00:00Z";
    case "list<string>":
      return ["first", "second"];
    default:
      return /id$|number$/i.test(name) ? "A1" : "example";
  }
}

/** Returns the members of a declared situation, which may be nested in `data`. */
function membersOf(situation: unknown): unknown {
  const { data } = (situation ?? {}) as Json;
  return typeof data === "object" ? data : situation;
}

/** Returns a sample situation for each type that a configuration declares, with matching data. */
export function exampleSituations(document: Json): Readonly<Record<string, Json>> {
  const declared = document.situations;
  if (typeof declared !== "object" || declared === null) return {};
  return Object.fromEntries(
    Object.entries(declared).map(([type, situation]) => [
      type,
      { type, data: exampleData(membersOf(situation)) },
    ]),
  );
}
