/** A stream pulled by its reader: nothing is read ahead, so a stalled reader holds at most one batch. */
export interface BatchedStream<Item> extends AsyncIterableIterator<Item> {
  /** Position of the last item read, including items that the filter excluded. */
  readonly position: string;
  /**
   * Waits for the next items; readers waiting for the same items share the list.
   * @returns at least one item; undefined at the end
   * @throws GatewayError if the stream ends with an error
   */
  nextBatch(): Promise<readonly Item[] | undefined>;
  /** Ends the stream, even while `nextBatch` is waiting. */
  return(): Promise<IteratorReturnResult<undefined>>;
}
