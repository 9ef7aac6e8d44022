import { crc32 } from "node:zlib";

/** Returns the cursor of a pet in the product's format. */
export function encodeCursor(id) {
  const position = `pet:${id}`;
  return Buffer.from(`${position}:${crc32(position).toString(36)}`).toString("base64url");
}

/** @returns the ID in a cursor; undefined for anything that `encodeCursor` did not create */
export function decodeCursor(cursor) {
  const id = Buffer.from(cursor, "base64url").toString().split(":")[1];
  return id !== undefined && encodeCursor(id) === cursor ? Number(id) : undefined;
}
