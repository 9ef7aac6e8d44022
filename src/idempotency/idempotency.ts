import { type EntityManager, LessThan } from "typeorm";
import { allReturning, returning } from "../database/returning";
import { GatewayError } from "../errors";
import { sha256 } from "../validation/sha256";
import { timestamp } from "../validation/timestamp";
import { IdempotencyRecord } from "./idempotency-record.entity";

/** How long an idempotency key is remembered (ms). */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Longest idempotency key, in code points. */
export const IDEMPOTENCY_KEY_MAX = 255;

/** A create that may be sent twice. */
export interface IdempotentCreate<T> {
  /** Operation and caller: the same key of another caller is another key. */
  scope: string;
  key: string | null | undefined;
  /** What the client asked for, the key left out; the order of its properties does not matter. */
  request: Readonly<Record<string, unknown>>;
  /** Makes the resource. */
  create: () => Promise<T>;
  /** Answers a repeat, given the id of what the first made. */
  repeat: (id: string) => Promise<T>;
  idOf: (made: T) => string;
}

/**
 * Runs a create once per idempotency key (draft-ietf-httpapi-idempotency-key-header): a repeat with the same
 * request is answered by `repeat`. The record is written in the transaction of the create, under a unique
 * index, so concurrent repeats wait for the first and a failed first leaves the key free.
 * @throws GatewayError `idempotency_key_reused` when the key came with another request
 */
export async function once<T>(tx: EntityManager, operation: IdempotentCreate<T>): Promise<T> {
  const { scope } = operation;
  if (operation.key == null) return operation.create();
  const key = sha256(operation.key);
  const requestHash = hashOf(operation.request);
  await tx.delete(IdempotencyRecord, {
    scope,
    key,
    createdAt: LessThan(timestamp(-IDEMPOTENCY_LIFETIME_MS)),
  });
  const record = await claim(tx, { scope, key, requestHash });
  if (record.requestHash !== requestHash) throw new GatewayError("idempotency_key_reused");
  const made =
    record.resourceId === null ? await operation.create() : await operation.repeat(record.resourceId);
  await tx.update(IdempotencyRecord, { scope, key }, { resourceId: operation.idOf(made) });
  return made;
}

type Claim = Pick<IdempotencyRecord, "scope" | "key" | "requestHash">;

/** Inserts the record, or waits for and locks the one that is there; answers what then stands. */
function claim(tx: EntityManager, { scope, key, requestHash }: Claim) {
  return returning<Pick<IdempotencyRecord, "requestHash" | "resourceId">>(
    tx,
    `insert into idempotency_record (scope, key, request_hash, created_at) values ($1, $2, $3, $4)
     on conflict (scope, key) do update set scope = excluded.scope
     returning request_hash as "requestHash", resource_id as "resourceId"`,
    [scope, key, requestHash, timestamp()],
  );
}

function hashOf(request: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(request)
    .filter(([, value]) => value != null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(sorted));
}

/**
 * Marks a batch as written, in the transaction that writes it.
 * @param writer whose batches come one after the other
 * @returns false when it is written already: a COMMIT may be kept although its answer is lost
 */
export async function claimBatch(tx: EntityManager, writer: string, batch: string): Promise<boolean> {
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
