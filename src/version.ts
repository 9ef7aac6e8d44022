import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `package.json`, relative to the sources and to the built program. */
const PACKAGE_FILES = ["../package.json", "../../package.json"].map((file) => join(__dirname, file));

export const { version } = JSON.parse(readFileSync(PACKAGE_FILES.find(existsSync) ?? "", "utf8")) as {
  version: string;
};
