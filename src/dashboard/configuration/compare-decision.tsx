import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { usePolledQuery } from "../api/client";
import { Effects } from "../explanations/effects";
import { useViewer } from "../session/session";
import { InfoDialog } from "../ui/dialog";
import { Failure } from "../ui/failure";
import styles from "./configuration.module.css";
import { against, type Draft } from "./documents";
import { type EffectFragment, RecordedEffectsDocument, ReplayDecisionDocument } from "./documents.generated";
import { KeepAsTest, testFromDecision } from "./keep-test";

/** A replayed decision. */
export interface Compared {
  decisionId: string;
  situationType: string;
  /** The reason why the decision could not be replayed. */
  error: { message: string } | null;
}

interface Props {
  agentId: string;
  draft: Draft;
  decision: Compared;
}

/** Compares a decision's actual effects with its effects under the displayed draft. */
export const CompareDecision = ({ onClosed, ...props }: Props & { onClosed: () => void }) => (
  <InfoDialog title={`A decision about ${props.decision.situationType}`} size="lg" onClosed={onClosed}>
    <Comparison {...props} />
  </InfoDialog>
);

function Comparison({ agentId, draft, decision }: Props) {
  const { decisionId: id, error: invalid } = decision;
  const { may } = useViewer();
  const once = { pollMs: Number.POSITIVE_INFINITY };
  const mayRead = may("conversations_read");
  const recorded = usePolledQuery(RecordedEffectsDocument, { id }, { ...once, enabled: mayRead });
  const replayed = usePolledQuery(ReplayDecisionDocument, { id, against: against(draft) }, once);
  const error = recorded.error ?? replayed.error;
  if (error !== null) return <Failure error={error} />;
  const keep = (variables: Parameters<typeof testFromDecision>[0]) => (
    <KeepAsTest agentId={agentId} load={testFromDecision(variables)} />
  );
  return (
    <div className={styles.compared}>
      {mayRead && (
        <Side
          title="Actual effects"
          effects={recorded.data && (recorded.data.decision?.explanation?.effects ?? [])}
          keep={keep({ id })}
        />
      )}
      {invalid ? (
        <p className={styles.bad}>The draft rejects the situation: {invalid.message}</p>
      ) : (
        <Side
          title="Effects with the draft"
          effects={replayed.data && (replayed.data.replayDecision.explanation?.effects ?? [])}
          keep={keep({ id, against: against(draft) })}
        />
      )}
    </div>
  );
}

/** @param props.keep button that saves these effects as a test */
const Side = (props: { title: string; effects: readonly EffectFragment[] | undefined; keep: ReactNode }) => (
  <section aria-label={props.title}>
    <h3>{props.title}</h3>
    {props.effects === undefined ? <Skeleton height={60} /> : <Effects effects={props.effects} isPlanned />}
    {props.keep}
  </section>
);
