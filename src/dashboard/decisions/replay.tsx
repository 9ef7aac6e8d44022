import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { usePolledQuery } from "../api/client";
import { Effects } from "../explanations/effects";
import styles from "../explanations/explanations.module.css";
import { Rules } from "../explanations/rules";
import { Failure } from "../ui/failure";
import { Card } from "../ui/page";
import { Tag } from "../ui/tag";
import { ReplayChoicesDocument, ReplayDecisionDocument, type ReplayStatus } from "./documents.generated";

const STATUSES = {
  same: { label: "Same", tone: "good", text: "The agent would make the same decision." },
  changed: { label: "Different", tone: "warn", text: "The agent would make a different decision." },
  invalid: { label: "Not possible", tone: "bad", text: "That configuration rejects this situation." },
  erased: { label: "Erased", tone: "plain", text: "The contact was erased, so this can’t be replayed." },
} as const satisfies Record<ReplayStatus, unknown>;

/** Replays a decision with another version of the configuration, without applying effects. For managers. */
export function ReplayCard(props: { id: string; agentId: string; version: number }) {
  const [chosen, setChosen] = useState("");
  const { data } = usePolledQuery(ReplayChoicesDocument, { agentId: props.agentId }, { pollMs: 60_000 });
  const versions = data?.configurationVersions.nodes.filter(({ version }) => version !== props.version) ?? [];
  return (
    <Card title="What would another configuration do?">
      <div className={styles.body}>
        <NativeSelect
          label="Try it with"
          description="Nothing is sent or changed."
          value={chosen}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          data={[
            { value: "", label: "Choose a configuration" },
            ...(data?.configurationDraft == null ? [] : [{ value: "draft", label: "The draft" }]),
            { value: String(props.version), label: `Version ${props.version}, which made this decision` },
            ...versions.map(({ version, note }) => ({
              value: String(version),
              label: note === null ? `Version ${version}` : `Version ${version}: ${note.slice(0, 60)}`,
            })),
          ]}
        />
      </div>
      {chosen !== "" && <Result id={props.id} chosen={chosen} />}
    </Card>
  );
}

function Result({ id, chosen }: { id: string; chosen: string }) {
  const against = chosen === "draft" ? { draft: true } : { version: Number(chosen) };
  const { data, error, refetch, isPlaceholderData } = usePolledQuery(
    ReplayDecisionDocument,
    { id, against },
    { pollMs: 60_000 },
  );
  if (error !== null && (data === undefined || isPlaceholderData))
    return <Failure error={error} retry={refetch} />;
  if (data === undefined || isPlaceholderData) return <p className={styles.body}>Trying…</p>;
  const { status, error: problem, explanation, ruleId } = data.replayDecision;
  const { label, tone, text } = STATUSES[status];
  return (
    <div role="status">
      <p className={styles.body}>
        <Tag tone={tone}>{label}</Tag> {text}
        {status === "changed" && (
          <> {ruleId === null ? "No rule would match." : <RuleSentence ruleId={ruleId} />}</>
        )}
        {problem !== null && ` ${problem.message}`}
      </p>
      {status === "changed" && explanation !== null && (
        <>
          <h3 className={styles.heading}>It would</h3>
          <Effects effects={explanation.effects} isPlanned />
          <h3 className={styles.heading}>Because of these rules</h3>
          <Rules explanation={explanation} />
        </>
      )}
    </div>
  );
}

const RuleSentence = ({ ruleId }: { ruleId: string }) => (
  <>
    The rule <strong>{ruleId}</strong> would match.
  </>
);
