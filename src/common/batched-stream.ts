/** A stream that its reader pulls: nothing is read ahead, so a reader that stops holds at most one batch. */
export interface BatchedStream<Item> extends AsyncIterableIterator<Item> {
  /** Position of the last item read, including items that the reader did not ask for. */
  readonly position: string;
  /**
   * Waits for the next items; readers that wait for the same items share the list.
   * @returns at least one item; undefined at the end
   * @throws GatewayError the reason why the stream ends
   */
  nextBatch(): Promise<readonly Item[] | undefined>;
  /** Ends the stream, even while `nextBatch` is waiting. */
  return(): Promise<IteratorReturnResult<undefined>>;
}
