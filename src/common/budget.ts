/** A shared budget, such as memory. A reservation can count toward holders of several kinds, each with its own cap. */
export class Budget {
  private used = 0;
  private readonly held = new Map<string, number>();
  private readonly maxPerHolder: readonly number[];

  /** @param maxPerHolder the max amount per holder of each kind */
  constructor(
    private readonly max: number,
    ...maxPerHolder: readonly number[]
  ) {
    this.maxPerHolder = maxPerHolder;
  }

  get isExhausted(): boolean {
    return this.used >= this.max;
  }

  /** Reserves an amount for a holder of each kind; returns its release, or undefined if a cap would be exceeded. */
  take(holders: readonly string[], amount: number): (() => void) | undefined {
    const keys = holders.map((holder, kind) => `${kind} ${holder}`);
    const hasRoom = (key: string, kind: number) =>
      this.heldBy(key) + amount <= (this.maxPerHolder[kind] ?? this.max);
    if (this.used + amount > this.max || !keys.every(hasRoom)) return undefined;
    this.adjust(keys, amount);
    return () => this.adjust(keys, -amount);
  }

  private heldBy(key: string): number {
    return this.held.get(key) ?? 0;
  }

  /** Adjusts the amount that holders have reserved, without checking the limits. */
  private adjust(keys: readonly string[], amount: number): void {
    this.used += amount;
    for (const key of keys) {
      const held = this.heldBy(key) + amount;
      if (held > 0) this.held.set(key, held);
      else this.held.delete(key);
    }
  }
}
