/** A list, declared once, whose inserts are serialized across processes, so that rows appear in ID order. */
export class InsertOrderLock {
  private static readonly declared = new Map<number, InsertOrderLock>();

  /**
   * @param number unique per list and stable across versions, because processes of different versions share the lock
   * @param options.authorizesCallers true if each insert reauthorizes its caller while holding the lock
   */
  constructor(
    readonly number: number,
    readonly options: { readonly authorizesCallers?: boolean } = {},
  ) {
    if (InsertOrderLock.declared.has(number))
      throw new Error(`The insert-order lock ${number} is declared twice.`);
    InsertOrderLock.declared.set(number, this);
  }

  /** All locks with `authorizesCallers`, in the order of acquisition. */
  static get authorizing(): readonly InsertOrderLock[] {
    return [...InsertOrderLock.declared.values()]
      .filter(({ options }) => options.authorizesCallers)
      .sort((a, b) => a.number - b.number);
  }
}
