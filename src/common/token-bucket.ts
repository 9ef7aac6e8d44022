/** Limits a rate, such as messages per second, and allows bursts. Tokens can be taken on credit. */
export class TokenBucket {
  private tokens: number;
  private filledAt: number;

  /**
   * @param burst max tokens, all available at the start
   * @param clock monotonic time (ms)
   */
  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
    private readonly clock: () => number,
  ) {
    this.tokens = burst;
    this.filledAt = clock();
  }

  /** Takes tokens, even if they are not yet available; returns the time until the debt is paid (ms). */
  take(amount: number): number {
    const now = this.clock();
    const added = ((now - this.filledAt) * this.perSecond) / 1000;
    this.tokens = Math.min(this.burst, this.tokens + added) - amount;
    this.filledAt = now;
    return this.tokens >= 0 ? 0 : (-this.tokens / this.perSecond) * 1000;
  }
}
