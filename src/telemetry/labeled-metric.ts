interface Node<Value> {
  labels: readonly string[];
  value: Value | undefined;
  below: Map<string, Node<Value>>;
}

/**
 * Values by label, created on first use. It is on the hot path, so a lookup takes one map access per label and builds
 * no composite key.
 */
export class LabeledMetric<Value> {
  private readonly root: Node<Value> = { labels: [], value: undefined, below: new Map() };

  /**
   * @param names label names, in the order of the arguments of `labels`
   * @param make creates a value
   */
  constructor(
    readonly names: readonly string[],
    private readonly make: () => Value,
  ) {}

  /**
   * Returns the value for a combination of labels.
   * @param values one per name, from closed lists, because values are never evicted
   */
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

  /** Yields every value with its labels. */
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

  inc(by = 1): void {
    this.value += by;
  }
}

/** A histogram with fixed bucket bounds. */
export class Distribution {
  /** Non-cumulative counts, one per bucket; the last bucket has no upper bound. */
  readonly counts: number[];
  sum = 0;

  /** @param bounds upper bounds of the buckets, ascending */
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
