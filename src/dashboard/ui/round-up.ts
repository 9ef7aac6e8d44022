/** Rounds up to a round number for the end of an axis; half of it is also an integer. */
export function roundUp(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}
