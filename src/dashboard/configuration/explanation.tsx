import { Effects } from "../explanations/effects";
import { ModelExchange } from "../explanations/model-exchange";
import { Rules } from "../explanations/rules";
import { closedGate, sentVerbOf, Undeclared } from "../explanations/words";
import { Tag } from "../ui/tag";
import styles from "./configuration.module.css";
import type { TrySituationMutation } from "./documents.generated";

type Decision = TrySituationMutation["decide"];

/** An agent's decision and the reasons for it. */
export function DecisionExplained({ decision }: { decision: Decision }) {
  const { explanation, ruleId, outcome, configurationVersion } = decision;
  const closed = explanation === null ? undefined : closedGate(explanation);
  const verb = outcome === "send" ? sentVerbOf(explanation?.effects ?? []) : outcome;
  return (
    <div className={styles.explanation}>
      <p className={styles.outcome}>
        <Tag tone={TONES[verb ?? ""] ?? "good"}>{OUTCOMES[verb ?? ""] ?? verb}</Tag>
        <span>
          {closed !== undefined ? (
            closed
          ) : ruleId === null ? (
            <>
              No rule decides, so <code>otherwise</code> applies
            </>
          ) : (
            <>
              The rule <code>{ruleId}</code> decides
            </>
          )}{" "}
          ({configurationVersion === null ? "not published" : `version ${configurationVersion}`}).
          {explanation !== null && <Undeclared {...explanation} />}
        </span>
      </p>
      {explanation?.error && <p className={styles.bad}>{explanation.error.message}</p>}
      {explanation && (
        <>
          <h3>Effects</h3>
          <Effects effects={explanation.effects} isPlanned />
          {decision.modelExchange != null && (
            <>
              <h3>What the model would get</h3>
              <ModelExchange exchange={decision.modelExchange} isPlanned />
            </>
          )}
          <h3>Rules</h3>
          <Rules explanation={explanation} />
        </>
      )}
    </div>
  );
}

const TONES: Readonly<Record<string, "plain" | "bad">> = {
  proposed: "plain",
  scheduled: "plain",
  silent: "plain",
  stale: "plain",
  failed: "bad",
};

const OUTCOMES: Readonly<Record<string, string>> = {
  sent: "Sends",
  proposed: "Proposes",
  scheduled: "Schedules",
  handoff: "Hands off",
  silent: "Stays silent",
  stale: "Out of date",
  failed: "Fails",
};
