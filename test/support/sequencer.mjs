import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Sequencer from "@jest/test-sequencer";

const sizeOf = (path) => statSync(path).size;

/** Bytes of the test files that a suite runs. */
function bytesOf(suite) {
  if (!suite.endsWith(".suite.ts")) return sizeOf(suite);
  const files = readdirSync(dirname(suite)).filter((file) => file.endsWith(".test.ts"));
  return files.reduce((sum, file) => sum + sizeOf(join(dirname(suite), file)), 0);
}

/** Milliseconds of the last run; for a suite that Jest has not timed, its bytes come close. */
const lengthOf = ({ duration, path }) => duration ?? bytesOf(path);

/** Starts the longest suites first, so that none is left for one worker at the end. */
export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => lengthOf(other) - lengthOf(one));
  }
}
