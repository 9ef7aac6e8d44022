import { type Problem, segmentsOf } from "./problem";
import { ANY_SITUATION } from "./shapes";

type Path = readonly (string | number)[];

const ANY = Symbol();

/** Valid stand-ins, so that other parts keep their positions; parts without a stand-in are omitted. */
const STAND_INS: readonly { of: readonly (string | typeof ANY)[]; is?: (path: Path) => unknown }[] = [
  { of: ["rules", ANY, "do", ANY], is: () => EFFECT },
  { of: ["rules", ANY, "when", ANY], is: () => "true" },
  { of: ["rules", ANY, "id"], is: ([, index]) => `invalid-${index}` },
  { of: ["rules", ANY, "on"], is: () => ANY_SITUATION },
  { of: ["rules", ANY, ANY] },
  { of: ["rules", ANY], is: ([, index]) => ({ id: `invalid-${index}`, on: ANY_SITUATION, continue: true }) },
  { of: ["otherwise", ANY], is: () => EFFECT },
  { of: ["templates", ANY, "text"], is: () => "invalid" },
  { of: ["templates", ANY, "locales", ANY] },
  { of: ["templates", ANY, ANY] },
  { of: ["templates", ANY], is: () => "invalid" },
  { of: ["situations", ANY] },
  { of: ["tests", ANY], is: ([, index]) => ({ ...TEST, id: `invalid-${index}` }) },
  { of: ["policy", "topics", ANY], is: () => ({ title: "invalid", default: "in" }) },
  { of: ["policy", ANY] },
  { of: ["format"], is: () => 1 },
  { of: [ANY] },
];

/** An effect that is valid in every rule. */
const EFFECT = { addTags: ["invalid"] };

/** A test that is valid in every document, but lacks an id. */
const TEST = { now: "2026-01-01T00:00:00Z", situation: { type: "invalid" }, expect: { rule: null } };

/** Copies a document and replaces or omits its invalid parts, so that the other parts can be checked. */
export function soundParts(value: unknown, problems: readonly Problem[]): unknown {
  const document: unknown = structuredClone(value);
  for (const { path } of problems) {
    const segments = segmentsOf(path);
    const found = STAND_INS.find(({ of }) => of.every((name, at) => isAt(segments[at], name)));
    if (found === undefined) continue;
    const own = segments.slice(0, found.of.length);
    const parent = own
      .slice(0, -1)
      .reduce<unknown>((part, name) => (isParent(part) ? part[name] : undefined), document);
    if (!isParent(parent)) continue;
    const name = own.at(-1) as string | number;
    if (found.is === undefined) delete parent[name];
    else parent[name] = found.is(own);
  }
  return document;
}

const isAt = (segment: string | number | undefined, name: string | typeof ANY): boolean =>
  segment !== undefined && (name === ANY || segment === name);

const isParent = (part: unknown): part is Record<string | number, unknown> =>
  typeof part === "object" && part !== null;
