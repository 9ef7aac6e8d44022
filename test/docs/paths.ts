import { readdirSync, readFileSync } from "node:fs";

/** Paths of the files and folders in the repository. */
const EXISTING = [
  ...readdirSync("."),
  ...["src", "test"].flatMap((top) =>
    readdirSync(top, { recursive: true, encoding: "utf8" })
      .filter((path) => !path.includes("node_modules"))
      .map((path) => `${top}/${path}`),
  ),
];

/** Folders that scripts create, which are missing in a fresh copy of the repository. */
const MADE = readFileSync(".gitignore", "utf8")
  .split("\n")
  .filter((line) => line.endsWith("/"));

const CODE = /`([^`\n]+)`|^```text\n([^`]+)^```/gm;
const PATH = /^(?:[\w.<>-]+\/)+[\w.<>-]*$|^[\w.<>-]+\.(?:ts|mjs|json|graphql)$/;

/** Returns each path of a file or folder in the inline code and diagrams of a page. */
export const pathsIn = (text: string): string[] =>
  [...text.matchAll(CODE)]
    .flatMap(([, inline = "", block = ""]) => `${inline} ${block}`.split(/[\s,:]+/))
    .filter((word) => PATH.test(word));

/** @param path relative to the root, `src/` or `test/`; `<name>` stands for any name, and a suite needs no ending */
export function isInRepository(path: string): boolean {
  if (MADE.some((folder) => path.startsWith(folder))) return true;
  const name = path.replace(/\/$/, "").replaceAll(".", "\\.").replaceAll("<name>", "[\\w-]+");
  const anywhere = path.startsWith("<") ? "(?:.*/)?" : "";
  const pattern = new RegExp(`^(?:src/|test/)?${anywhere}${name}(?:\\.test\\.ts)?$`);
  return EXISTING.some((existing) => pattern.test(existing));
}
