import { createReadStream } from "node:fs";
import { StartupError } from "../errors";
import { stdin } from "./stdin";
import { decodeText } from "./text-encoding";

/** The name of a file in messages; `-` stands for standard input. */
export const nameOf = (file: string): string => (file === "-" ? "standard input" : file);

/**
 * Reads a text file, or standard input for `-`.
 * @throws StartupError if the file does not exist, is a folder, is larger than `maxBytes` or is not text
 */
export async function readText(file: string, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const name = nameOf(file);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file === "-" ? stdin() : createReadStream(file)) {
      size += chunk.length;
      if (size > maxBytes) throw new StartupError(`${name} is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new StartupError(`${name} does not exist`);
    if (code === "EISDIR") throw new StartupError(`${name} is a folder`);
    throw error;
  }
  const text = decodeText(Buffer.concat(chunks));
  if (text === undefined) throw new StartupError(`${name} is not encoded in UTF-8`);
  return text;
}
