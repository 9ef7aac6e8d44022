/** Thrown when an evaluation exceeds its step budget. */
export class TooExpensive extends Error {
  override readonly name = "TooExpensive";
}

/** Number of characters that can be read or written per step. */
export const CHARACTERS_PER_STEP = 32;

/** Number of character comparisons per step of a search. */
const COMPARISONS_PER_STEP = 512;

/** Limits steps, equally on every machine, unlike a timeout. Once exceeded, every further step fails. */
export class StepBudget {
  private steps = 0;

  constructor(private readonly max: number) {}

  /** Number of steps taken; one more than the budget if the budget is exceeded. */
  get spent(): number {
    return this.steps;
  }

  /** @throws TooExpensive if the budget is exceeded */
  spend(steps: number): void {
    this.steps = Math.min(this.steps + steps, this.max + 1);
    if (this.steps > this.max) throw new TooExpensive();
  }

  /** Spends the cost of reading or writing text. */
  spendText(length: number): void {
    this.spend(1 + Math.floor(length / CHARACTERS_PER_STEP));
  }

  /** Spends the worst-case cost of a search, because JavaScript engines may compare every pair of characters. */
  spendSearch(textLength: number, patternLength: number): void {
    this.spend(1 + Math.floor((textLength * patternLength) / COMPARISONS_PER_STEP));
  }
}
