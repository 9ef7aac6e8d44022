import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const FOLDERS = [".", "docs", ".github", "deploy", "test/bench", "test/bench/results", "test/overload"];

/** The path of every Markdown file in the repository. */
export const PAGES = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => normalize(join(folder, name))),
).sort();

export const read = (path: string) => readFileSync(path, "utf8");

/** A shell command on a page, with the JSON that it prints according to the page. */
export interface Example {
  command: string;
  output: string;
}

/** Returns each `curl` command on a page that is followed by its output. */
export function examples(text: string): Example[] {
  return [...text.matchAll(/```sh\n(curl [^`]+)```\n```json\n([^`]+)```/g)].map(
    ([, command = "", output = ""]) => ({ command, output }),
  );
}

/** Returns the agent configurations on a page that must be published before its examples. */
export const configurationsIn = (text: string): object[] =>
  [...text.matchAll(/```json\n(\{\n {2}"format": 1,[^`]+)```\n\n[^`]+```sh\n[^`]* publish /g)].map(
    ([, json = ""]) => JSON.parse(json),
  );

/**
 * Returns the part of a page from a heading to the next one at its level or above.
 * @throws Error if there is no such heading
 */
export function section(text: string, heading: string): string {
  const start = text.indexOf(`${heading}\n`);
  if (start < 0) throw new Error(`No heading "${heading}"`);
  const rest = text.slice(start + heading.length);
  const level = heading.indexOf(" ");
  const end = rest.search(new RegExp(`^#{1,${level}} `, "m"));
  return end < 0 ? rest : rest.slice(0, end);
}

/** Returns the relative links on a page that lead to no file, or to no heading in it. */
export function brokenLinks(page: string): string[] {
  return linksOf(read(page)).filter((link) => !leadsSomewhere(page, link));
}

/** Returns the targets of links and images outside code that have no scheme. */
function linksOf(text: string): string[] {
  return [...prose(text).matchAll(/\]\(\s*<?([^\s)>]+)|^\[[^\]]+\]:\s*(\S+)|(?:href|src)="([^"]+)"/gm)]
    .map(([, inline, reference, html]) => inline ?? reference ?? html ?? "")
    .filter((target) => !/^[a-z]+:/i.test(target));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  // Links out of the repository do not work in other copies of it.
  if (target.startsWith("..") || !existsSync(target)) return false;
  if (anchor === undefined) return true;
  return statSync(target).isFile() && anchors(read(target)).has(anchor);
}

/** Returns GitHub's anchors for the headings of a page. */
function anchors(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, heading = ""] of text.replace(/^```.*?^```/gms, "").matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    let name = slug;
    for (let copy = 1; names.has(name); copy++) name = `${slug}-${copy}`;
    names.add(name);
  }
  return names;
}

/** Returns a page without its code. */
function prose(text: string): string {
  return text.replace(/^```.*?^```/gms, "").replace(/`[^`\n]+`/g, "");
}
