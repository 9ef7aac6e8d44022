import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { documentedPath, type RestRoute } from "../../schema/rest-route";

/** Output folder of the viewer build, relative to the built program and to the sources. */
const FOLDERS = ["../../../docs", "../../../dist/docs"].map((folder) => join(__dirname, folder));

/** Returns the address of a route's section in `/docs`. */
export const sectionOf = ({ method, path }: Pick<RestRoute, "method" | "path">): string =>
  `/docs#?route=${method.toLowerCase()}-${documentedPath(path).replace(/[{}-]+/g, "-")}`;

/** A file of the viewer in each encoding. */
export type EncodedFile = Record<"identity" | "gzip" | "br", Buffer>;

/** The page of `/docs` and its files, ready to send. */
export interface Viewer {
  page: string;
  script: EncodedFile;
  style: EncodedFile;
}

let viewer: Promise<Viewer> | undefined;

/** Loads the viewer, if built, only once: streams would let slow clients exhaust file descriptors. */
export async function loadViewer(): Promise<Viewer | undefined> {
  const folder = FOLDERS.find((each) => existsSync(join(each, "index.html")));
  if (folder === undefined) return undefined;
  viewer ??= readViewer(folder);
  return viewer;
}

async function readViewer(folder: string): Promise<Viewer> {
  const [page, script, style] = await Promise.all([
    readFile(join(folder, "index.html"), "utf8"),
    readEncoded(join(folder, "viewer.js")),
    readEncoded(join(folder, "viewer.css")),
  ]);
  return { page, script, style };
}

async function readEncoded(file: string): Promise<EncodedFile> {
  const [identity, gzip, br] = await Promise.all(
    [file, `${file}.gz`, `${file}.br`].map((each) => readFile(each)),
  );
  return { identity, gzip, br } as EncodedFile;
}
