import { DAY_MS, timestamp } from "../common/time";
import { sha256 } from "../credentials/sha256";
import { allReturning, placeholders } from "../database/returning";
import type { Tx } from "../database/unit-of-work";
import { GatewayError } from "../errors";
import type { IdempotencyRecord } from "./idempotency-record.entity";

/** Lifetime of an idempotency key (ms). */
export const IDEMPOTENCY_LIFETIME_MS = DAY_MS;

/** Max length of an idempotency key (code points). */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

/** A request with an idempotency key. */
interface Request {
  /** Operation and caller, so that keys from different callers never collide. */
  scope: string;
  key: string;
  /** The input without the key; the order of its properties does not matter. */
  request: Readonly<Record<string, unknown>>;
  /** The response to the request, which is marked if it replays an earlier response. */
  answer?: { isReplayed?: boolean } | undefined;
}

/** A request with an optional key. */
export type KeyedRequest = Omit<Request, "key"> & { key?: string | null | undefined };

/** A create operation that clients may retry. */
export interface IdempotentCreate<T> extends KeyedRequest {
  /** Creates the resource. */
  create: () => Promise<T>;
  /** Returns the result of a retry, given the ID of the resource that the first request created. */
  repeat: (id: string) => Promise<T>;
  idOf: (made: T) => string;
}

/** Creates the resources of a batch and finds the existing resources for retries. */
export interface BatchOfCreates<C, T> {
  /** Returns the resource of each create, in order, or the error of a create that was rejected and stored nothing. */
  create: (creates: readonly C[]) => Promise<(T | GatewayError)[]>;
  /** Finds the resources with these IDs, in any order. */
  find: (ids: readonly string[]) => Promise<readonly T[]>;
  idOf: (made: T) => string;
}

/**
 * Runs a create once per idempotency key (draft-ietf-httpapi-idempotency-key-header), and `repeat` for retries. The
 * unique index makes concurrent retries wait for the first transaction, and a rollback frees the key.
 * @throws GatewayError `idempotency_key_reused` if the key was used with a different request
 */
export async function once<T>(tx: Tx, operation: IdempotentCreate<T>): Promise<T> {
  if (operation.key == null) return operation.create();
  const wanted = recordOf(operation, operation.key);
  const record = (await claim(tx, [wanted])).get(nameOf(wanted));
  if (record?.requestHash !== wanted.requestHash) throw new GatewayError("idempotency_key_reused");
  const made =
    record.resourceId === null ? await operation.create() : await operation.repeat(record.resourceId);
  if (record.resourceId !== null) noteReplay(tx, operation);
  await complete(tx, [{ ...wanted, resourceId: operation.idOf(made) }]);
  return made;
}

/**
 * Like `once`, for creates that share a transaction; claims all keys first, to hold insert-order locks briefly.
 * @returns the resource or the error of each create, in the order of the creates
 */
export async function onceEach<C extends KeyedRequest, T>(
  tx: Tx,
  creates: readonly C[],
  { create, find, idOf }: BatchOfCreates<C, T>,
): Promise<(T | GatewayError)[]> {
  const wanted = creates.map((each) => ({
    each,
    record: each.key == null ? undefined : recordOf(each, each.key),
  }));
  // If several creates have the same key, only the first one runs.
  const firsts = new Map<string, NewRecord>();
  for (const { record } of wanted)
    if (record !== undefined && !firsts.has(nameOf(record))) firsts.set(nameOf(record), record);
  const records = firsts.size === 0 ? new Map<string, StoredRecord>() : await claim(tx, [...firsts.values()]);
  const fresh = wanted.filter(
    ({ record }) =>
      record === undefined ||
      (firsts.get(nameOf(record)) === record && records.get(nameOf(record))?.resourceId === null),
  );
  const repeated = [...records.values()].flatMap(({ resourceId }) => resourceId ?? []);
  const found = new Map(
    repeated.length === 0 ? [] : (await find(repeated)).map((resource) => [idOf(resource), resource]),
  );
  const created = fresh.length === 0 ? [] : await create(fresh.map(({ each }) => each));
  const made = new Map<NewRecord | C, T | GatewayError>();
  const completed: StoredRecord[] = [];
  const released: NewRecord[] = [];
  fresh.forEach(({ each, record }, i) => {
    const outcome = created[i] as T | GatewayError;
    made.set(record ?? each, outcome);
    if (record === undefined) return;
    if (outcome instanceof GatewayError) released.push(record);
    else completed.push({ ...record, resourceId: idOf(outcome) });
  });
  if (completed.length > 0) await complete(tx, completed);
  if (released.length > 0) await release(tx, released);
  return wanted.map(({ each, record }) => {
    if (record === undefined) return made.get(each) as T | GatewayError;
    const { requestHash, resourceId } = records.get(nameOf(record)) as StoredRecord;
    if (requestHash !== record.requestHash) return new GatewayError("idempotency_key_reused");
    const resource =
      resourceId === null ? made.get(firsts.get(nameOf(record)) as NewRecord) : found.get(resourceId);
    if (resource === undefined) return new GatewayError("not_found");
    if (!made.has(record) && !(resource instanceof GatewayError)) noteReplay(tx, each);
    return resource;
  });
}

/** Marks the response as a replay, unless the transaction is rolled back. */
function noteReplay(tx: Tx, { answer }: Pick<Request, "answer">): void {
  if (answer === undefined) return;
  tx.afterCommit(() => {
    answer.isReplayed = true;
  });
}

/** Returns a unique name for a record, which is also the sort key in `claim`. */
const nameOf = ({ scope, key }: Pick<IdempotencyRecord, "scope" | "key">) => `${scope} ${key}`;

type NewRecord = Pick<IdempotencyRecord, "scope" | "key" | "requestHash">;
type StoredRecord = NewRecord & Pick<IdempotencyRecord, "resourceId">;

const recordOf = ({ scope, request }: Omit<Request, "key">, key: string): NewRecord => ({
  scope,
  key: sha256(key),
  requestHash: hashOf(request),
});

/** Inserts records with distinct keys or locks existing ones (overwriting expired ones); returns them by name. */
async function claim(tx: Tx, wanted: readonly NewRecord[]): Promise<Map<string, StoredRecord>> {
  // The fixed order prevents deadlocks between batches that claim several of the same keys.
  const sorted = [...wanted].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const now = timestamp();
  const expired = `idempotency_record.created_at < $${sorted.length * 4 + 1}`;
  const unlessExpired = (column: string) =>
    `${column} = case when ${expired} then excluded.${column} else idempotency_record.${column} end`;
  const rows = await allReturning<StoredRecord>(
    tx,
    `insert into idempotency_record (scope, key, request_hash, created_at)
     values ${placeholders(sorted.length, 4)}
     on conflict (scope, key) do update set
       ${["request_hash", "resource_id", "created_at"].map(unlessExpired)}
     returning scope, key, request_hash as "requestHash", resource_id as "resourceId"`,
    [
      ...sorted.flatMap(({ scope, key, requestHash }) => [scope, key, requestHash, now]),
      timestamp(-IDEMPOTENCY_LIFETIME_MS),
    ],
  );
  return new Map(rows.map((row) => [nameOf(row), row]));
}

/** Stores the ID of the created resource with each key. */
async function complete(tx: Tx, records: readonly StoredRecord[]): Promise<void> {
  await tx.query(
    `with made (scope, key, resource_id) as (values ${placeholders(records.length, 3)})
     update idempotency_record set resource_id = made.resource_id from made
     where idempotency_record.scope = made.scope and idempotency_record.key = made.key`,
    records.flatMap(({ scope, key, resourceId }) => [scope, key, resourceId]),
  );
}

/** Frees keys claimed by a transaction. */
async function release(tx: Tx, records: readonly NewRecord[]): Promise<void> {
  await tx.query(
    `delete from idempotency_record where (scope, key) in (values ${placeholders(records.length, 2)})`,
    records.flatMap(({ scope, key }) => [scope, key]),
  );
}

function hashOf(request: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(request)
    .filter(([, value]) => value != null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(sorted));
}

/**
 * Marks a batch as written, in the transaction that writes it; a writer writes its batches one by one.
 * @returns false if an earlier attempt committed the batch but lost the response
 */
export async function claimBatch(tx: Tx, writer: string, batch: string): Promise<boolean> {
  const rows = await allReturning(
    tx,
    `insert into idempotency_record (scope, key, request_hash, resource_id, created_at) values ($1, $2, $3, $4, $5)
     on conflict (scope, key) do update set resource_id = excluded.resource_id, created_at = excluded.created_at
       where idempotency_record.resource_id <> excluded.resource_id
     returning resource_id`,
    [writer, "last batch", "", batch, timestamp()],
  );
  return rows.length > 0;
}
