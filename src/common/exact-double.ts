import { compareNumber } from "lossless-json";

/** The double that JSON writes with the digits of an integer; undefined if every double has other digits. */
export function exactDouble(integer: bigint): number | undefined {
  const number = Number(integer);
  return Number.isFinite(number) && compareNumber(String(integer), String(number)) === 0 ? number : undefined;
}
