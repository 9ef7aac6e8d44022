interface Node<Value> {
  labels: readonly string[];
  value: Value | undefined;
  below: Map<string, Node<Value>>;
}

/**
 * Values by their labels, each made at its first use. On the path of every request: a value is found by one look into
 * a map for each label, without making a key of them all.
 */
export class LabeledMetric<Value> {
  private readonly root: Node<Value> = { labels: [], value: undefined, below: new Map() };

  /** @param names of the labels, in the order in which `labels` takes their values */
  constructor(
    readonly names: readonly string[],
    private readonly make: () => Value,
  ) {}

  /** @param values one per name, from closed lists: what is made is never forgotten */
  labels(...values: readonly string[]): Value {
    let node = this.root;
    for (const label of values) {
      let next = node.below.get(label);
      if (next === undefined) {
        next = { labels: [...node.labels, label], value: undefined, below: new Map() };
        node.below.set(label, next);
      }
      node = next;
    }
    node.value ??= this.make();
    return node.value;
  }

  /** Every value that was made, with its labels. */
  *entries(node = this.root): Generator<[labels: Record<string, string>, value: Value]> {
    if (node.value !== undefined) {
      yield [Object.fromEntries(this.names.map((name, i) => [name, node.labels[i] ?? ""])), node.value];
    }
    for (const next of node.below.values()) yield* this.entries(next);
  }
}

/** A number that only grows. */
export class Count {
  value = 0;

  inc(): void {
    this.value += 1;
  }
}

/** How many values were at most as large as each of some bounds. */
export class Distribution {
  /** One for each bound, not counting those of the bounds before it, and one for what is larger than all. */
  readonly counts: number[];
  sum = 0;

  /** @param bounds ascending */
  constructor(readonly bounds: readonly number[]) {
    this.counts = Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] as number)) i += 1;
    this.counts[i] = (this.counts[i] as number) + 1;
    this.sum += value;
  }
}
