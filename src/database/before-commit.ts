import type { EntityManager } from "typeorm";
import type { Database } from "./database";

type Hook = (database: Database) => Promise<void>;

const hooks = new WeakMap<EntityManager, Hook[]>();

/**
 * Runs a hook as the last part of the unit of work of `tx`, for what must hold its locks only shortly. Not for units of a
 * single statement.
 */
export function beforeCommit(tx: EntityManager, hook: Hook): void {
  const all = hooks.get(tx);
  if (all) all.push(hook);
  else hooks.set(tx, [hook]);
}

/** Runs the hooks of a unit of work, also those that a hook adds. */
export async function runBeforeCommit(tx: EntityManager, database: Database): Promise<void> {
  for (const hook of hooks.get(tx) ?? []) await hook(database);
}
