/** An amount that many holders share, such as memory in bytes, with a cap per holder. */
export class Budget {
  private used = 0;
  private readonly held = new Map<string, number>();

  /**
   * @param max the total amount
   * @param maxPerHolder the amount that one holder can take
   */
  constructor(
    private readonly max: number,
    private readonly maxPerHolder: number,
  ) {}

  /**
   * Reserves an amount for a holder.
   * @returns a function that releases it; undefined if the budget or the holder's share is exhausted
   */
  take(holder: string, amount: number): (() => void) | undefined {
    const held = this.held.get(holder) ?? 0;
    if (this.used + amount > this.max || held + amount > this.maxPerHolder) return undefined;
    this.adjust(holder, amount);
    return () => this.adjust(holder, -amount);
  }

  /** Changes what a holder has taken by an amount, without a check. */
  private adjust(holder: string, amount: number): void {
    this.used += amount;
    const held = (this.held.get(holder) ?? 0) + amount;
    if (held > 0) this.held.set(holder, held);
    else this.held.delete(holder);
  }
}
