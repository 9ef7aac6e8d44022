import { statSync } from "node:fs";
import { join, relative } from "node:path";
import Sequencer from "@jest/test-sequencer";
import { foldersOf } from "./suites.mjs";

const TEST = join(import.meta.dirname, "..");

/** Equivalent bytes of suites that take far longer than their size suggests, because they start programs. */
const SLOW = {
  "suites/dashboard.suite.ts": 250_000,
  "suites/dashboard-other-half.suite.ts": 250_000,
  "faults/failover.full.test.ts": 90_000,
  "openapi/clients.full.test.ts": 60_000,
  "faults/crash.full.test.ts": 55_000,
  "oldest-postgres/oldest-postgres.full.test.ts": 40_000,
  "faults/policy.full.test.ts": 35_000,
  "faults/stop.full.test.ts": 35_000,
  "clients/typed-clients.full.test.ts": 28_000,
  "faults/connections.full.test.ts": 25_000,
  "faults/timers.full.test.ts": 20_000,
  "faults/reviews.full.test.ts": 14_000,
};

/** Returns the number of bytes in the test files that a suite runs. */
function bytesOf({ path, context }) {
  const files = foldersOf(path).flatMap((folder) =>
    context.config.globals.TEST_FILES[folder].map((file) => join(TEST, folder, file)),
  );
  return [path, ...files].reduce((sum, file) => sum + statSync(file).size, 0);
}

/** Ignores the duration of the last run, which may have been of another tier or of only a few tests. */
const lengthOf = (test) => SLOW[relative(TEST, test.path)] ?? bytesOf(test);

/** Starts the longest suites first, so that no worker is left with a long suite at the end. */
export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => lengthOf(other) - lengthOf(one));
  }
}
