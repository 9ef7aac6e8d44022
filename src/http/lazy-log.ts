import type { FastifyBaseLogger } from "fastify";

const METHODS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

type Bindings = Parameters<FastifyBaseLogger["child"]>[0];
type ChildOptions = Parameters<FastifyBaseLogger["child"]>[1];

/** A child of a log that is made when something is logged, because most requests log nothing by theirs. */
class LazyLog {
  private made: FastifyBaseLogger | undefined;

  constructor(
    private readonly parent: FastifyBaseLogger,
    private readonly bindings: Bindings,
    private readonly options: ChildOptions,
  ) {}

  get level(): string {
    return this.log.level;
  }

  child(bindings: Bindings, options?: ChildOptions): FastifyBaseLogger {
    return this.log.child(bindings, options);
  }

  private get log(): FastifyBaseLogger {
    this.made ??= this.parent.child(this.bindings, this.options);
    return this.made;
  }

  static {
    for (const method of METHODS) {
      Object.defineProperty(LazyLog.prototype, method, {
        value(this: LazyLog, ...args: Parameters<FastifyBaseLogger["info"]>) {
          this.log[method](...args);
        },
      });
    }
  }
}

/** Returns a log that has the bindings in each line, for a request. */
export const lazyLog = (
  parent: FastifyBaseLogger,
  bindings: Bindings,
  options: ChildOptions,
): FastifyBaseLogger => new LazyLog(parent, bindings, options) as unknown as FastifyBaseLogger;
