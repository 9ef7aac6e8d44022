import { compareNumber } from "lossless-json";

/** Returns the double that JSON prints with the same digits as an integer; undefined if there is none. */
export function exactDouble(integer: bigint): number | undefined {
  const number = Number(integer);
  return Number.isFinite(number) && compareNumber(String(integer), String(number)) === 0 ? number : undefined;
}
