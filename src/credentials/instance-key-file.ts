import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InstanceKey } from "./instance-key";

/** Reads the key from a file, if there is one; throws an Error that does not quote the file if it has no key. */
export function readKeyFile(file: string): InstanceKey | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  const key = InstanceKey.parse(text.trim());
  if (key === undefined) throw new Error("it does not contain 32 bytes in base64");
  return key;
}

/** Creates a private file with a new key, the same for concurrent processes; throws an Error on failure. */
export function createKeyFile(file: string): InstanceKey {
  const unfinished = join(dirname(file), `.${randomUUID()}.unfinished`);
  try {
    const handle = openSync(unfinished, "wx", 0o600);
    try {
      writeFileSync(handle, `${InstanceKey.generate()}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    // Linking fails if the file exists, and never exposes a partially written key.
    linkSync(unfinished, file);
    const folder = openSync(dirname(file), "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
  const key = readKeyFile(file);
  if (key === undefined) throw new Error("it was removed while it was being created");
  return key;
}

const hasCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;
