// npm run test:fuzz -- [--minutes 5] [--decisions 10000] [--seed <n>]: sends hostile inputs to all APIs, makes
// decisions with generated configurations, both on both engines, and reports the results.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    decisions: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
});
const { status } = spawnSync("npx", ["jest", "test/fuzz", "--maxWorkers=1", "--colors=false"], {
  stdio: "inherit",
  env: {
    ...process.env,
    FUZZ_MINUTES: values.minutes,
    FUZZ_DECISIONS: values.decisions,
    TEST_SEED: values.seed,
  },
});
process.exitCode = status ?? 1;
