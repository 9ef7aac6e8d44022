import { join } from "node:path";
import { expectPassed } from "../support/modules";
import { slowTest } from "../support/slow-test";

slowTest("the benchmark harness measures what it claims to measure", () =>
  expectPassed(join(__dirname, "harness.spec.mjs")),
);

slowTest("the benchmark's operations on rows fit the program", () =>
  expectPassed(join(__dirname, "flat-rows.spec.mjs")),
);
