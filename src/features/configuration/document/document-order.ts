import { getOrCreate } from "../../../common/get-or-create";
import { type Problem, segmentsOf } from "./problem";

/** Sorts problems in document order; a missing part comes after its siblings. */
export function inDocumentOrder(problems: readonly Problem[], value: unknown): Problem[] {
  const places = new Map<object, ReadonlyMap<string, number>>();
  const placeOf = (parent: object, name: string | number): number => {
    if (typeof name === "number") return name;
    const names = getOrCreate(
      places,
      parent,
      () => new Map(Object.keys(parent).map((key, index) => [key, index])),
    );
    return names.get(name) ?? Number.POSITIVE_INFINITY;
  };
  const positionOf = ({ path }: Problem): number[] => {
    let part = value;
    return segmentsOf(path).map((name) => {
      if (typeof part !== "object" || part === null) return 0;
      const parent = part;
      part = (parent as Record<string, unknown>)[name];
      return placeOf(parent, name);
    });
  };
  return problems
    .map((problem) => ({ problem, position: positionOf(problem) }))
    .sort((one, other) => compare(one.position, other.position))
    .map(({ problem }) => problem);
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, place] of one.entries()) {
    const its = other[index];
    if (its === undefined) return 1;
    if (place !== its) return place < its ? -1 : 1;
  }
  return one.length - other.length;
}
