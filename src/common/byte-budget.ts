/** Which part of a budget one holder may have. */
const HOLDER_SHARE = 0.25;

/** Bytes that are shared out among many holders, none of which can have all of them. */
export class ByteBudget {
  private used = 0;
  private readonly held = new Map<string, number>();

  /** @param max bytes in all */
  constructor(private readonly max: number) {}

  /**
   * Takes bytes for a holder.
   * @returns gives them back; undefined when there are too few left
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
