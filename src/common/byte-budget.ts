/** Max fraction of a budget per holder. */
const HOLDER_SHARE = 0.25;

/** A byte budget shared by many holders, with a cap per holder. */
export class ByteBudget {
  private used = 0;
  private readonly held = new Map<string, number>();

  /** @param max total number of bytes */
  constructor(private readonly max: number) {}

  /**
   * Reserves bytes for a holder.
   * @returns a function that releases them; undefined if the budget or the holder's share is exhausted
   */
  take(holder: string, bytes: number): (() => void) | undefined {
    const held = this.held.get(holder) ?? 0;
    if (this.used + bytes > this.max || held + bytes > this.max * HOLDER_SHARE) return undefined;
    this.change(holder, bytes);
    return () => this.change(holder, -bytes);
  }

  private change(holder: string, bytes: number): void {
    this.used += bytes;
    const held = (this.held.get(holder) ?? 0) + bytes;
    if (held > 0) this.held.set(holder, held);
    else this.held.delete(holder);
  }
}
