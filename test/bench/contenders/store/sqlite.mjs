import Database from "better-sqlite3";
import { IDENTITY_COLUMNS, IDENTITY_TABLES, PET_COLUMNS } from "./sql.mjs";

/** The tables on SQLite: prepared statements, which answer at once. @param {string} file */
export function openSqlite(file) {
  const database = new Database(file, { fileMustExist: true });
  database.pragma("journal_mode = WAL");
  // An answered write survives a power cut.
  database.pragma("synchronous = FULL");
  const pets = `select ${PET_COLUMNS} from pet where`;
  const order = "order by id limit ?";
  const identity = database.prepare(`select ${IDENTITY_COLUMNS} from ${IDENTITY_TABLES} where k.hash = ?`);
  const page = database.prepare(`${pets} id > ? ${order}`);
  const pageOfStatus = database.prepare(`${pets} status = ? and id > ? ${order}`);
  const pet = database.prepare(`${pets} id = ?`);
  const insert = database.prepare(
    `insert into pet (name, category_id, status) values (?, ?, ?) returning ${PET_COLUMNS}`,
  );
  return {
    identity: (hash) => identity.get(hash),
    page: ({ limit, after = 0, status }) =>
      status === undefined ? page.all(after, limit) : pageOfStatus.all(status, after, limit),
    pet: (id) => pet.get(id),
    createPet: ({ name, categoryId, status }) => insert.get(name, categoryId, status),
    close: () => database.close(),
  };
}
