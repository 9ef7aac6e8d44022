import { crc32 } from "node:zlib";
import { Refusal } from "./refusal.mjs";

const PET = /^pet:(\d{1,16}):/;

/** The product's opaque cursor for a pet. */
export function encodeCursor(id) {
  const position = `pet:${id}`;
  return Buffer.from(`${position}:${crc32(position).toString(36)}`).toString("base64url");
}

/** @returns the id of the pet. @throws Refusal 400 for anything that `encodeCursor` did not make */
export function decodeCursor(cursor) {
  const id = PET.exec(Buffer.from(cursor, "base64url").toString())?.[1];
  if (id === undefined || encodeCursor(id) !== cursor) throw new Refusal(400, "invalid_cursor");
  return Number(id);
}
