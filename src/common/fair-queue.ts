/** Round-robin queue: owners take turns, and each owner's items are FIFO. */
export class FairQueue<Item> {
  private readonly waiting = new Map<string, Set<Item>>();

  add(owner: string, item: Item): void {
    const own = this.waiting.get(owner) ?? new Set();
    this.waiting.set(owner, own.add(item));
  }

  get size(): number {
    return [...this.waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  /** The item that `next` would take; undefined if the queue is empty. */
  get first(): Item | undefined {
    for (const [item] of this.waiting.values()) return item;
    return undefined;
  }

  /** Takes the next item, or undefined from an empty queue; owners take turns. */
  next(): Item | undefined {
    for (const [owner, own] of this.waiting) {
      const [item] = own;
      this.waiting.delete(owner);
      if (item === undefined) continue;
      own.delete(item);
      if (own.size > 0) this.waiting.set(owner, own);
      return item;
    }
    return undefined;
  }
}
