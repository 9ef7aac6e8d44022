import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Beside the sources, and one folder above the built program. */
const PLACES = ["../package.json", "../../package.json"].map((place) => join(__dirname, place));

/** The version of this program, as its package says. */
export const { version } = JSON.parse(readFileSync(PLACES.find(existsSync) ?? "", "utf8")) as {
  version: string;
};
