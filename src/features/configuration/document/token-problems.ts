import { holdsToken } from "../../../credentials/redact-tokens";
import { type Problem, pathOf } from "./problem";

/** Finds API keys and session tokens in the strings and member names of a JSON value. */
export function tokenProblems(value: unknown, path: readonly PropertyKey[] = []): Problem[] {
  const found = (text: string): Problem[] =>
    holdsToken(text)
      ? [{ path: pathOf(path), message: "must not contain an API key or a session token" }]
      : [];
  if (typeof value === "string") return found(value);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...found(name),
    ...tokenProblems(member, [...path, Array.isArray(value) ? Number(name) : name]),
  ]);
}
