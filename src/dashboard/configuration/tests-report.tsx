import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { loadedOnce } from "../api/client";
import { execute } from "../api/execute";
import { Failure } from "../ui/failure";
import { formatNumber } from "../ui/format";
import { Card } from "../ui/page";
import styles from "./configuration.module.css";
import { against, type Draft } from "./documents";
import { RunConfigurationTestsDocument, type RunConfigurationTestsQuery } from "./documents.generated";
import { MarkList } from "./problems";

type Report = RunConfigurationTestsQuery["runConfigurationTests"];

/** Max differences and gaps listed; the rest are only counted. */
const MAX_LISTED = 50;

/**
 * Runs the tests in the displayed draft and returns their results. Runs them again when the draft changes.
 * @param enabled false if the draft is not known to be valid
 */
export const useTests = (agentId: string, draft: Draft, enabled: boolean) =>
  useQuery({
    queryKey: [RunConfigurationTestsDocument.toString(), agentId, draft.updatedAt],
    queryFn: ({ signal }) =>
      execute(RunConfigurationTestsDocument, { agentId, against: against(draft) }, signal),
    enabled,
    staleTime: loadedOnce,
    // Keeping a test changes the draft; the previous result stays visible to avoid a layout shift.
    placeholderData: keepPreviousData,
  });

/** The results of the draft's tests: failed tests and gaps in coverage. */
export function TestsReport({ data, error, refetch }: ReturnType<typeof useTests>) {
  return (
    <Card title="Tests in the draft">
      {data !== undefined ? (
        <Results report={data.runConfigurationTests} />
      ) : error !== null ? (
        <Failure error={error} retry={refetch} />
      ) : (
        <div className={styles.text}>
          <Skeleton height={80} />
        </div>
      )}
    </Card>
  );
}

function Results({ report: { total, failed, differences, coverage } }: { report: Report }) {
  if (total === 0)
    return (
      <p className={styles.text}>
        The draft has no tests. Keep decisions or dry runs as tests to notice if a later change breaks them.
      </p>
    );
  const facts = { tests: total, passed: total - failed, failed };
  const gaps = gapsOf(coverage);
  return (
    <>
      <dl className={styles.totals}>
        {Object.entries(facts).map(([name, value]) => (
          <div key={name} data-tone={value > 0 ? name : undefined}>
            <dt>{name}</dt>
            <dd>{formatNumber(value)}</dd>
          </div>
        ))}
      </dl>
      {differences.length > 0 && (
        <div className={styles.text}>
          <Listed
            label="Failed tests"
            marks={differences.map(({ testId, message }) => ({ severity: "error", path: testId, message }))}
          />
        </div>
      )}
      {gaps.length === 0 ? (
        <p className={styles.text}>The tests cover every rule and condition.</p>
      ) : (
        <details className={styles.text}>
          <summary>Not covered by any test ({formatNumber(gaps.length)})</summary>
          <Listed
            label="Not covered by any test"
            marks={gaps.map(([path, message]) => ({ severity: "warning", path, message }))}
          />
        </details>
      )}
    </>
  );
}

function Listed({ label, marks }: Parameters<typeof MarkList>[0]) {
  return (
    <div className={styles.problems}>
      <MarkList label={label} marks={marks.slice(0, MAX_LISTED)} />
      {marks.length > MAX_LISTED && <p>and {formatNumber(marks.length - MAX_LISTED)} more</p>}
    </div>
  );
}

/** Returns the rules and conditions that the tests don't cover. */
const gapsOf = (coverage: Report["coverage"]): [rule: string, gap: string][] =>
  coverage.flatMap(({ ruleId, matched, clauses }) => {
    const rule = ruleId ?? "otherwise";
    const clausesOf = (count: "met" | "notMet", what: string) =>
      clauses.flatMap((clause, at): [string, string][] =>
        clause[count] === 0 ? [[rule, `condition ${at + 1} is never ${what}`]] : [],
      );
    return [
      ...(matched === 0
        ? [[rule, ruleId === null ? "never applies" : "never matches"] as [string, string]]
        : []),
      ...clausesOf("met", "true"),
      ...clausesOf("notMet", "false"),
    ];
  });
