import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/**
 * Returns an in-memory folder if it has room for the given number of bytes; otherwise the folder for temporary files,
 * where constantly creating, syncing and deleting files means waiting for the disk.
 */
export function memoryFolder(bytes: number): string {
  if (!existsSync("/dev/shm")) return tmpdir();
  const { bavail, bsize } = statfsSync("/dev/shm");
  return bavail * bsize > bytes ? "/dev/shm" : tmpdir();
}
