import { crc32 } from "node:zlib";

/** The cursor of a pet, as the product spells it. */
export function encodeCursor(id) {
  const position = `pet:${id}`;
  return Buffer.from(`${position}:${crc32(position).toString(36)}`).toString("base64url");
}

/** @returns the id in a cursor, or undefined for what `encodeCursor` did not make */
export function decodeCursor(cursor) {
  const id = Buffer.from(cursor, "base64url").toString().split(":")[1];
  return id !== undefined && encodeCursor(id) === cursor ? Number(id) : undefined;
}
