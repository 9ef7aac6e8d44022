import type { ChunkOptions } from "./chunks";

export interface JobOptions extends ChunkOptions {
  owner: string;
  /** Aborted to ask the job to stop soon. */
  signal: AbortSignal;
}

/** Background jobs by ID. An owner's jobs run one at a time in FIFO order, concurrently with other owners' jobs. */
export class SerialJobs {
  private readonly jobs = new Map<string, Promise<void>>();
  /** The last job of each owner. */
  private readonly last = new Map<string, Promise<void>>();
  private readonly stop = new AbortController();

  /** @param onError called when a job fails; must not throw */
  constructor(
    private readonly work: (id: string, options: JobOptions) => Promise<void>,
    private readonly onError: (error: unknown, id: string) => void,
  ) {}

  /** Runs a job, unless one with this ID is waiting or running; resolves when it has ended, and never rejects. */
  run(id: string, options: ChunkOptions & Pick<JobOptions, "owner">): Promise<void> {
    const { owner, signal } = options;
    const present = this.jobs.get(id);
    if (present !== undefined) return present;
    const start = async () => {
      const either = signal === undefined ? this.stop.signal : AbortSignal.any([signal, this.stop.signal]);
      if (!either.aborted) await this.work(id, { ...options, signal: either });
    };
    const job = (this.last.get(owner) ?? Promise.resolve())
      .then(start)
      .catch((error) => this.onError(error, id))
      .finally(() => {
        this.jobs.delete(id);
        if (this.last.get(owner) === job) this.last.delete(owner);
      });
    this.jobs.set(id, job);
    this.last.set(owner, job);
    return job;
  }

  /** Asks the running jobs to stop soon and starts no more jobs. */
  async close(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.jobs.values());
  }
}
