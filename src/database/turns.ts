import { GatewayError } from "../errors";

/** Lets so many do a thing at a time; the others wait in the order in which they came, but not for ever. */
export class Turns {
  private readonly waiting = new Set<() => void>();

  /** @param free how many at a time */
  constructor(private free: number) {}

  /** Waits for a turn, which lasts until `end`. @throws GatewayError `unavailable` when none comes in time (ms) */
  async begin(withinMs: number): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(begin);
        reject(new GatewayError("unavailable", undefined, { cause: new Error("no turn came in time") }));
      }, withinMs);
      this.waiting.add(begin);
    });
  }

  /** Ends a turn: the next begins. */
  end(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free++;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
