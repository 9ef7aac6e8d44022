import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

/** Max memory per thread (MB). */
const MAX_MEMORY_MB = 256;

/** Max idle time of a thread (ms). Idle threads do not free their memory. */
export const IDLE_TIMEOUT_MS = 10_000;

export interface MailForThread {
  /** The e-mail's bytes, in chunks. */
  raw: Uint8Array[];
  /** True if the bytes are only the start of a longer e-mail. */
  isHead: boolean;
  maxTextLength: number;
}

/** Idle threads, which are waiting for an e-mail. */
const idle: MailThread[] = [];

/** A reusable thread that parses e-mails. Starting a thread takes longer than parsing most e-mails. */
export class MailThread {
  private end: NodeJS.Timeout | undefined;

  private constructor(private readonly worker: Worker) {
    // Errors of idle threads are ignored, because a failed thread exits.
    worker.on("error", () => undefined).once("exit", () => this.leaveIdle());
  }

  /** Takes an idle thread or starts one, which may take a long time on a busy machine. */
  static async take(): Promise<MailThread> {
    const free = idle.at(-1);
    if (free !== undefined) {
      free.leaveIdle();
      return free;
    }
    const worker = new Worker(join(__dirname, "mail-thread/thread.cjs"), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    });
    await once(worker, "online");
    return new MailThread(worker);
  }

  /**
   * Parses an e-mail. Afterwards, the thread can be reused unless it was terminated.
   * @param mail the e-mail; its bytes are transferred
   * @returns `ParsedMail | null` as JSON, or undefined if the thread failed, perhaps out of memory
   * @throws the signal's reason
   */
  async parse(mail: MailForThread, signal: AbortSignal): Promise<ArrayBuffer | undefined> {
    this.worker.ref();
    this.worker.postMessage(
      mail,
      mail.raw.map(({ buffer }) => buffer as ArrayBuffer),
    );
    try {
      const [result] = await once(this.worker, "message", { signal });
      this.joinIdle();
      return result;
    } catch {
      await this.worker.terminate();
      signal.throwIfAborted();
      return undefined;
    }
  }

  private joinIdle(): void {
    this.worker.unref();
    idle.push(this);
    this.end = setTimeout(() => {
      // A terminating thread must not be reused.
      this.leaveIdle();
      void this.worker.terminate();
    }, IDLE_TIMEOUT_MS).unref();
  }

  private leaveIdle(): void {
    clearTimeout(this.end);
    const index = idle.indexOf(this);
    if (index >= 0) idle.splice(index, 1);
  }
}
