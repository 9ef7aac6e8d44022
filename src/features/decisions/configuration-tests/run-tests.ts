import type { CompiledConfiguration } from "../../configuration/document/compiled-configuration";
import type { TestDocument } from "../../configuration/document/tests-format";
import type { ConfigurationTests } from "./configuration-tests.outputs";
import { CoverageCounter, type RuleCoverage } from "./coverage";
import { runTest, type TestResult } from "./run-test";

export interface TestReport extends ConfigurationTests {
  results: readonly TestResult[];
  coverage: readonly RuleCoverage[];
}

/** Runs a document's tests, one per step, because 500 expensive tests may take a long time. */
export function* testsInSteps(
  configuration: CompiledConfiguration,
  tests: readonly TestDocument[],
): Generator<void, TestReport> {
  for (const type of new Set(tests.map(({ situation }) => situation.type))) yield* configuration.parse(type);
  const counter = new CoverageCounter(configuration.document);
  const results: TestResult[] = [];
  for (const [index, test] of tests.entries()) {
    const run = runTest(configuration, test, index);
    counter.count(run);
    const { rules: _, ...result } = run;
    results.push(result);
    yield;
  }
  return {
    total: results.length,
    failed: results.filter(({ passed }) => !passed).length,
    results,
    differences: results.flatMap(({ differences }) => differences),
    coverage: counter.coverage,
  };
}

/** Runs a document's tests in a single step. */
export function runTests(configuration: CompiledConfiguration, tests: readonly TestDocument[]): TestReport {
  const steps = testsInSteps(configuration, tests);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
