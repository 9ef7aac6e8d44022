/** Runs jobs one at a time in FIFO order; a failed job does not stop the next. */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  runExclusive<T>(job: () => Promise<T>): Promise<T> {
    const result = this.last.then(job);
    this.last = result.catch(() => undefined);
    return result;
  }
}
