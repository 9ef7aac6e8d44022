import { Button, Skeleton } from "@mantine/core";
import { usePolledQuery } from "../api/client";
import { Effects } from "../decisions/effects";
import { useViewer } from "../session/session";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Failure } from "../ui/failure";
import styles from "./configuration.module.css";
import { type EffectFragment, RecordedEffectsDocument, ReplayDecisionDocument } from "./documents.generated";

/** A replayed decision. */
export interface Compared {
  decisionId: string;
  situationType: string;
  /** Why the decision could not be replayed. */
  error: { message: string } | null;
}

/** Compares a decision's effects with its effects under the draft. */
export const CompareDecision = (props: { decision: Compared; onClosed: () => void }) => (
  <Dialog title={`A decision about ${props.decision.situationType}`} size="lg" onClosed={props.onClosed}>
    {(close) => (
      <>
        <Comparison decision={props.decision} />
        <DialogButtons>
          <Button data-autofocus onClick={close}>
            Close
          </Button>
        </DialogButtons>
      </>
    )}
  </Dialog>
);

function Comparison({ decision: { decisionId: id, error: invalid } }: { decision: Compared }) {
  const { may } = useViewer();
  const once = { pollMs: Number.POSITIVE_INFINITY };
  const mayRead = may("conversations_read");
  const recorded = usePolledQuery(RecordedEffectsDocument, { id }, { ...once, enabled: mayRead });
  const replayed = usePolledQuery(ReplayDecisionDocument, { id }, once);
  const error = recorded.error ?? replayed.error;
  if (error !== null) return <Failure error={error} />;
  return (
    <div className={styles.compared}>
      {mayRead && (
        <Side title="Did" effects={recorded.data && (recorded.data.decision?.explanation?.effects ?? [])} />
      )}
      {invalid ? (
        <p className={styles.bad}>The draft doesn’t take the situation: {invalid.message}</p>
      ) : (
        <Side
          title="Would do with the draft"
          effects={replayed.data && (replayed.data.replayDecision.explanation?.effects ?? [])}
        />
      )}
    </div>
  );
}

const Side = ({ title, effects }: { title: string; effects: readonly EffectFragment[] | undefined }) => (
  <section aria-label={title}>
    <h3>{title}</h3>
    {effects === undefined ? <Skeleton height={60} /> : <Effects effects={effects} isPlanned />}
  </section>
);
