import type { EntityManager } from "typeorm";
import type { Database } from "../../src/database/database";

type Reads = "count" | "countBy" | "existsBy" | "find" | "findBy" | "findOneBy" | "findOneByOrFail" | "query";
type Writes = "delete" | "insert" | "update";

/** Methods of entity managers; `execute` is like `query`, but may change rows. */
export type Rows = Pick<EntityManager, Reads | Writes> & { execute: EntityManager["query"] };

const WRITES: ReadonlySet<string> = new Set(["delete", "execute", "insert", "update"]);

/** Returns methods that read and change a database's rows, each in a unit of its own. */
export const rowsIn = (database: Database): Rows =>
  new Proxy({} as Rows, {
    get:
      (_, method: keyof Rows) =>
      (...args: unknown[]) => {
        const run = (manager: EntityManager): Promise<unknown> =>
          Reflect.apply(manager[method === "execute" ? "query" : method], manager, args);
        return WRITES.has(method) ? database.write(run) : database.read(run);
      },
  });
