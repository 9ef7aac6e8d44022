import { readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import Sequencer from "@jest/test-sequencer";

const TEST = join(import.meta.dirname, "..");

/** Milliseconds of suites that take far longer than their bytes suggest, because they start programs. */
const SLOW = {
  "dashboard/folder.suite.ts": 250_000,
  "faults/crash.test.ts": 150_000,
  "database/folder.suite.ts": 90_000,
  "openapi/clients.test.ts": 45_000,
  "parity/parity.test.ts": 40_000,
  "faults/stop.test.ts": 35_000,
  "process/start.test.ts": 30_000,
  "fuzz/fuzz.test.ts": 30_000,
};

const sizeOf = (path) => statSync(path).size;

/** Bytes of the test files that a suite runs. */
function bytesOf(suite) {
  if (!suite.endsWith(".suite.ts")) return sizeOf(suite);
  const files = readdirSync(dirname(suite)).filter((file) => file.endsWith(".test.ts"));
  return files.reduce((sum, file) => sum + sizeOf(join(dirname(suite), file)), 0);
}

/** Milliseconds of the last run; for most suites that Jest has not timed, their bytes come close. */
const lengthOf = ({ duration, path }) => duration ?? SLOW[relative(TEST, path)] ?? bytesOf(path);

/** Starts the longest suites first, so that none is left for one worker at the end. */
export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => lengthOf(other) - lengthOf(one));
  }
}
