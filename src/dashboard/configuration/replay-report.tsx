import { Button, NativeSelect, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { loadedOnce } from "../api/client";
import { execute } from "../api/execute";
import type { Agent } from "../parts/agent-page";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { formatNumber } from "../ui/format";
import { loaded } from "../ui/loaded";
import { Name } from "../ui/name";
import { Card } from "../ui/page";
import { ACTIONS, columnsOf, DataTable } from "../ui/table";
import type { Compared } from "./compare-decision";
import styles from "./configuration.module.css";
import { against, type Draft } from "./documents";
import { ReplayDecisionsDocument, type ReplayDecisionsQuery } from "./documents.generated";
import { KeepAsTest, testFromDecision } from "./keep-test";

const { component: CompareDecision } = loaded(
  async () => (await import("./compare-decision")).CompareDecision,
);

type Report = ReplayDecisionsQuery["replayDecisions"];

/** Options for the number of decisions to replay. */
const COUNTS = ["100", "500"];

/** Max changed decisions listed; the rest are only counted. */
const MAX_LISTED = 50;

const RULES = columnsOf(
  "Rule",
  { heading: "Decided", isNumeric: true },
  { heading: "Would decide", isNumeric: true },
  { heading: "Difference", isNumeric: true },
);
const CHANGED = columnsOf("Situation", "Decided by", "Would be decided by", ACTIONS);

/** Shows how the agent would have decided recent situations if the displayed draft had been live. */
export function ReplayReport({ agent, draft }: { agent: Agent; draft: Draft }) {
  const [count, setCount] = useState("100");
  const { data, error, refetch } = useQuery({
    queryKey: [ReplayDecisionsDocument.toString(), agent.id, draft.updatedAt, count],
    queryFn: ({ signal }) => {
      const variables = { agentId: agent.id, against: against(draft), first: Number(count) };
      return execute(ReplayDecisionsDocument, variables, signal);
    },
    staleTime: loadedOnce,
    // Keeping a test changes the draft; the previous result stays visible to avoid a layout shift.
    placeholderData: (previous, query) => (query?.queryKey[3] === count ? previous : undefined),
  });
  return (
    <Card
      title="Replay of recent decisions"
      aside={
        <NativeSelect
          aria-label="Decisions to replay"
          size="xs"
          data={COUNTS.map((value) => ({ value, label: `Last ${value} decisions` }))}
          value={count}
          onChange={({ currentTarget }) => setCount(currentTarget.value)}
        />
      }
    >
      {data !== undefined ? (
        <Totals agentId={agent.id} draft={draft} report={data.replayDecisions} />
      ) : error !== null ? (
        <Failure error={error} retry={refetch} />
      ) : (
        <div className={styles.text}>
          <Skeleton height={120} />
        </div>
      )}
    </Card>
  );
}

function Totals({ agentId, draft, report }: { agentId: string; draft: Draft; report: Report }) {
  const { total, same, changed, invalid, erased, rules, decisions } = report;
  const { may } = useViewer();
  const [compared, setCompared] = useState<Compared>();
  if (total === 0) {
    return (
      <p className={styles.text}>The agent has made no decisions recently, so there is nothing to compare.</p>
    );
  }
  const facts = { decisions: total, same, changed, "would be rejected": invalid, erased };
  return (
    <>
      <dl className={styles.totals}>
        {Object.entries(facts).map(
          ([name, value]) =>
            (value > 0 || name === "changed") && (
              <div key={name} data-tone={value > 0 ? name : undefined}>
                <dt>{name}</dt>
                <dd>{formatNumber(value)}</dd>
              </div>
            ),
        )}
      </dl>
      {rules.length > 0 && (
        <DataTable
          label="Decisions by rule"
          columns={RULES}
          rows={rules.map((rule) => ({ ...rule, id: rule.ruleId ?? "" }))}
          cells={({ ruleId, recorded, replayed }) => [
            <RuleName key="rule" id={ruleId} />,
            formatNumber(recorded),
            formatNumber(replayed),
            replayed === recorded
              ? "–"
              : `${replayed > recorded ? "+" : "−"}${formatNumber(Math.abs(replayed - recorded))}`,
          ]}
        />
      )}
      {decisions.length > 0 && <h3 className={styles.subtitle}>Decisions that would change</h3>}
      {decisions.length > 0 && (
        <DataTable
          label="Decisions that would change"
          columns={CHANGED}
          rows={decisions.slice(0, MAX_LISTED).map((each) => ({ ...each, id: each.decisionId }))}
          cells={({ id, ...decision }) => [
            may("conversations_read") ? (
              <Link key="link" href={`/decisions/${id}`}>
                <Name>{decision.situationType}</Name>
              </Link>
            ) : (
              decision.situationType
            ),
            <RuleName key="before" id={decision.recordedRuleId} />,
            decision.error ? (
              <span key="after" className={styles.bad}>
                Rejected: {decision.error.message}
              </span>
            ) : (
              <RuleName key="after" id={decision.ruleId} />
            ),
            <div key="actions" className={styles.choices}>
              <Button variant="default" size="xs" onClick={() => setCompared(decision)}>
                Compare…
              </Button>
              <KeepAsTest agentId={agentId} load={testFromDecision({ id })} />
            </div>,
          ]}
        />
      )}
      {decisions.length > MAX_LISTED && (
        <p className={styles.text}>and {formatNumber(decisions.length - MAX_LISTED)} more</p>
      )}
      {compared && (
        <CompareDecision
          agentId={agentId}
          draft={draft}
          decision={compared}
          onClosed={() => setCompared(undefined)}
        />
      )}
    </>
  );
}

/** The ID of the rule that matched, or `otherwise` if none did. */
const RuleName = ({ id }: { id: string | null }) =>
  id === null ? (
    <span className={styles.muted}>otherwise</span>
  ) : (
    <code>
      <Name>{id}</Name>
    </code>
  );
