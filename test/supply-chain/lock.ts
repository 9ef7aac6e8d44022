import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** The entry of a package in a lock file. */
export interface LockedPackage {
  version?: string;
  integrity?: string;
  license?: string;
  /** True for a folder of this repository. */
  link?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** A folder with its own lock file. */
export interface Project {
  name: string;
  folder: string;
  /** By path in the project, such as `node_modules/pg`. */
  packages: Map<string, LockedPackage>;
  /** True if the install script of a package may run, by its name. */
  allowScripts: Record<string, boolean>;
}

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));

/** Every project that installs packages. */
export const PROJECTS: Project[] = [
  ".",
  "test/bench/contenders",
  "test/clients/typed",
  "test/openapi/clients",
].map((folder) => ({
  name: posix.join(folder, "package-lock.json"),
  folder,
  packages: new Map(Object.entries(readJson(folder, "package-lock.json").packages)),
  allowScripts: readJson(folder, "package.json").allowScripts ?? {},
}));

/** Returns the packages from a registry. */
export const installed = ({ packages }: Project): [string, LockedPackage][] =>
  [...packages].filter(([place, { link }]) => place.includes("node_modules/") && !link);

/** Returns the name of the package at a path. */
export const nameAt = (place: string): string => place.slice(place.lastIndexOf("node_modules/") + 13);

/**
 * Returns the path where Node finds a package that the package at `from` imports; undefined if it is not in the lock
 * file.
 */
export function resolvePackage({ packages }: Project, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    const place = posix.join(folder, "node_modules", name);
    if (packages.has(place)) return place;
    if (folder === "") return undefined;
  }
}
