import { v7 as uuid } from "uuid";
import { changeTogether } from "../../src/database/change-together";
import { updatesOf } from "../../src/database/updates-of";
import { Lane } from "../../src/delivery/lane.entity";
import { Lanes } from "../../src/delivery/lanes";
import { onEachEngine } from "../support/engines";
import { openLogged } from "../support/query-plans";

onEachEngine((engine) => {
  test.each([1, 40])(
    "changes to several tables are stored, and the rows of the first table are returned (%i rows)",
    async (length) => {
      const { database, statements, close } = await openLogged(engine);
      try {
        const ids = Array.from({ length }, (_, i) => String(i));
        const values = (columns: string) =>
          ids.map((_, i) => columns.replaceAll("?", `$${i + 1}`)).join(", ");
        const first = {
          sql: `insert into agent_stream (agent_id, last) values ${values("(?, 1)")} returning agent_id as id`,
          parameters: ids,
        };
        const second = {
          sql: `insert into rule_match (subject_id, rule_id, matched_at) values ${values("(?, 'rule', 'then')")}`,
          parameters: ids,
        };
        statements.length = 0;
        const rows = await database.write((tx) => changeTogether<{ id: string }>(tx, [first, second]));
        expect(rows.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(ids.map(Number));
        const inserts = statements.filter(({ query }) => /insert into/i.test(query));
        expect(inserts).toHaveLength(engine.name === "SQLite" || length > 1 ? 2 : 1);
        const count = (table: string) =>
          database.read((reader) => reader.query(`select count(*) as n from ${table}`));
        for (const table of ["agent_stream", "rule_match"])
          expect(Number((await count(table))[0].n)).toBe(length);
      } finally {
        await close();
      }
    },
  );

  test("any number of rows is inserted and changed, although the parameters of a statement are limited", async () => {
    const { database, close } = await openLogged(engine);
    try {
      const agentId = uuid();
      const lanes = Array.from({ length: 8_200 }, () => ({ id: uuid(), agentId, kind: "test" }));
      const changed = await database.write(async (tx) => {
        await new Lanes(database).add(tx, lanes);
        const rows = lanes.map(({ id }) => ({ id, position: "last" }) as Lane);
        await changeTogether(tx, updatesOf(tx, Lane, rows, ["position"]));
        return tx.countBy(Lane, { position: "last" });
      });
      expect(changed).toBe(lanes.length);
    } finally {
      await close();
    }
  });
});
