import pg from "pg";
import { IDENTITY_COLUMNS, IDENTITY_TABLES, PET_COLUMNS } from "./sql.mjs";

// Numbers for int8, as on SQLite; beyond 2^53 nothing is asked of a contender.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** The tables on PostgreSQL: a pool, and named statements that each connection prepares once. @param {string} url */
export function openPg(url) {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const statement = (name, text) => (values) => pool.query({ name, text, values });
  const pets = `select ${PET_COLUMNS} from pet where`;
  const identity = statement(
    "identity",
    `select ${IDENTITY_COLUMNS} from ${IDENTITY_TABLES} where k.hash = $1`,
  );
  const page = statement("page", `${pets} id > $1 order by id limit $2`);
  const pageOfStatus = statement("page_of_status", `${pets} status = $1 and id > $2 order by id limit $3`);
  const pet = statement("pet", `${pets} id = $1`);
  const insert = statement(
    "insert",
    `insert into pet (name, category_id, status) values ($1, $2, $3) returning ${PET_COLUMNS}`,
  );
  const first = ({ rows }) => rows[0];
  return {
    identity: (hash) => identity([hash]).then(first),
    page: ({ limit, after = 0, status }) =>
      (status === undefined ? page([after, limit]) : pageOfStatus([status, after, limit])).then(
        ({ rows }) => rows,
      ),
    pet: (id) => pet([id]).then(first),
    createPet: ({ name, categoryId, status }) => insert([name, categoryId, status]).then(first),
    close: () => pool.end(),
  };
}
