import { crc32 } from "node:zlib";
import { GatewayError } from "../errors";

const checksum = (text: string) => crc32(text).toString(36);

/** Returns the opaque cursor of a row (Relay Cursor Connections, `cursor`). */
export function encodeCursor(kind: string, id: string): string {
  const position = `${kind}:${id}`;
  return Buffer.from(`${position}:${checksum(position)}`).toString("base64url");
}

/** @throws GatewayError `invalid_cursor` for anything that `encodeCursor` did not create */
export function decodeCursor(kind: string, cursor: string, isId: (text: string) => boolean): string {
  const [, id] = Buffer.from(cursor, "base64url").toString().split(":");
  if (id === undefined || !isId(id) || encodeCursor(kind, id) !== cursor)
    throw new GatewayError("invalid_cursor");
  return id;
}
