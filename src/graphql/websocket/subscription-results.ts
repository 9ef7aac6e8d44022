import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, execute, visit } from "graphql";
import { LRUCache } from "lru-cache";
import { type Caller, ownerOf } from "../../auth/caller";
import { getOrCreate } from "../../common/get-or-create";
import { lruCache } from "../../common/lru-cache";
import { TokenBucket } from "../../common/token-bucket";
import { credentialOf } from "../../features/events/live/rejections";

/** Max fields per second that an organization's subscriptions execute in this process. */
export const FIELDS_PER_SECOND = 100_000;

/** Max fields to execute without yielding to other work. */
export const MAX_FIELDS_AT_ONCE = 2_000;

/** Cost of sending a result, measured in executed fields. */
export const FIELDS_PER_SEND = 25;

/** Characters of a result that cost as much to send as one field costs to execute. */
const CHARACTERS_PER_FIELD = 500;

/** Max characters of results cached for slow subscribers. */
const MAX_KEPT_CHARACTERS = 8_000_000;

const MAX_ORGANIZATIONS = 10_000;

/** Converts an event to its result as JSON, and waits until the result may be sent. */
export type WriteResult = (event: object) => Promise<string>;

/** Events as text, for cache keys; all subscriptions receive the same objects. */
const contents = new WeakMap<object, string>();

/**
 * The results of subscriptions. If subscriptions have the same document, variables and credential, an event's
 * result is computed once for all of them. If an organization exceeds its budget, its subscriptions wait.
 */
export class SubscriptionResults {
  private readonly kept = new LRUCache<string, Promise<string>>({ maxSize: MAX_KEPT_CHARACTERS });
  private readonly budgets = lruCache<string, TokenBucket>(MAX_ORGANIZATIONS);

  /**
   * @param payloadOf returns the part of a result that a client receives
   * @param clock monotonic time (ms)
   */
  constructor(
    private readonly payloadOf: (result: ExecutionResult) => object,
    private readonly clock = () => performance.now(),
    private readonly sleep: (ms: number) => Promise<unknown> = (ms) => pause(ms, undefined, { ref: false }),
  ) {}

  /** Returns a function that converts a subscription's events, to be called serially; `query` is its text. */
  writerFor(caller: Caller, query: string, args: ExecutionArgs): WriteResult {
    const budget = getOrCreate(
      this.budgets,
      ownerOf(caller) ?? "",
      () => new TokenBucket(MAX_FIELDS_AT_ONCE, FIELDS_PER_SECOND, this.clock),
    );
    const shared = JSON.stringify([query, args.operationName, args.variableValues, credentialOf(caller)]);
    const digest = createHash("sha256").update(shared).digest("base64");
    const fields = fieldsOf(args.document);
    const executeFor = async (event: object) => {
      await this.take(budget, fields);
      return JSON.stringify(this.payloadOf(await execute({ ...args, rootValue: event })));
    };
    return async (event) => {
      const text = await this.keep(`${digest}${getOrCreate(contents, event, JSON.stringify)}`, () =>
        executeFor(event),
      );
      await this.take(budget, FIELDS_PER_SEND + text.length / CHARACTERS_PER_FIELD);
      return text;
    };
  }

  private async take(budget: TokenBucket, fields: number): Promise<void> {
    const waitMs = budget.take(fields);
    if (waitMs > 0) await this.sleep(waitMs);
  }

  private keep(key: string, write: () => Promise<string>): Promise<string> {
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const text = write();
    const size = key.length;
    this.kept.set(key, text, { size });
    text.then(
      ({ length }) => this.kept.set(key, text, { size: size + length }),
      () => this.kept.delete(key),
    );
    return text;
  }
}

/** Returns the number of fields in a document, an estimate of the fields executed per event; fragments count once. */
function fieldsOf(document: DocumentNode): number {
  let fields = 0;
  visit(document, {
    Field: () => {
      fields += 1;
    },
  });
  return fields;
}
