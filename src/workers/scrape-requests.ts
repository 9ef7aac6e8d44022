import { GatewayError } from "../errors";

/** Max time to wait for the supervisor (ms), longer than the supervisor waits for a worker. */
const TIMEOUT_MS = 3_000;

/** A worker's scrapes that are waiting for the metrics of all workers. */
export class ScrapeRequests {
  private readonly waiting = new Map<number, (text: string) => void>();
  private last = 0;

  /** @param send asks the supervisor for the metrics */
  constructor(private readonly send: (id: number) => void) {}

  /** @throws GatewayError `unavailable` if there is no response in time */
  async ask(): Promise<string> {
    this.last += 1;
    const id = this.last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new GatewayError("unavailable", "Not all metrics were collected in time."));
      }, TIMEOUT_MS);
      this.waiting.set(id, (text) => {
        clearTimeout(timer);
        resolve(text);
      });
      this.send(id);
    });
  }

  answer(id: number, text: string): void {
    this.waiting.get(id)?.(text);
    this.waiting.delete(id);
  }
}
