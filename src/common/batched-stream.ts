/** A stream pulled by its reader: nothing is read ahead, so a stalled reader holds at most one batch. */
export interface BatchedStream<Item> extends AsyncIterableIterator<Item> {
  /** Position of the last item read, including items that the filter excluded. */
  readonly position: string;
  /** Waits for at least one item, in a list that readers share; undefined at the end. May throw a GatewayError. */
  nextBatch(): Promise<readonly Item[] | undefined>;
  /** Ends the stream, even while `nextBatch` is waiting. */
  return(): Promise<IteratorReturnResult<undefined>>;
}
