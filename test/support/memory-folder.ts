import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/**
 * Returns a folder in memory if it has room for some bytes, otherwise the folder for temporary files, where files that
 * are constantly created, synced and deleted wait for the disk.
 */
export function memoryFolder(bytes: number): string {
  if (!existsSync("/dev/shm")) return tmpdir();
  const { bavail, bsize } = statfsSync("/dev/shm");
  return bavail * bsize > bytes ? "/dev/shm" : tmpdir();
}
