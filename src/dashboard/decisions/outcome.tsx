import { type AppliedEffect, sentVerbOf } from "../explanations/words";
import { Name } from "../ui/name";
import pageStyles from "../ui/page.module.css";
import { StateTag, Tag } from "../ui/tag";
import type { DecisionOutcome, DecisionState, DecisionsQuery, GateName } from "./documents.generated";

const OUTCOMES = {
  send: { label: "Sent a message", tone: "good" },
  handoff: { label: "Handed off", tone: "warn" },
  silent: { label: "Sent nothing", tone: "plain" },
  stale: { label: "Out of date", tone: "plain" },
  failed: { label: "Failed", tone: "bad" },
} as const satisfies Record<DecisionOutcome, unknown>;

/** Options for filtering by outcome. The `send` outcome includes proposed and scheduled messages. */
export const OUTCOME_OPTIONS = (Object.keys(OUTCOMES) as DecisionOutcome[]).map((value) => ({
  value,
  label: value === "send" ? "Sent or proposed" : OUTCOMES[value].label,
}));

/** The filter option for decisions that failed or have failed effects, regardless of their outcome. */
export const WITH_FAILURES = { value: "failures", label: "With failures" } as const;

/** The outcome of a decision as a tag, and a second tag if only some of its effects failed. */
export function OutcomeTag(props: {
  state: DecisionState;
  outcome: DecisionOutcome | null;
  failedEffects: number;
  explanation: { effects: readonly AppliedEffect[] } | null;
}) {
  const verb = sentVerbOf(props.explanation?.effects ?? []);
  if (props.state === "failed") return <Tag tone="bad">Failed</Tag>;
  if (props.outcome === null) return <Tag tone="plain">Deciding</Tag>;
  return (
    <>
      {props.outcome === "send" && verb !== "sent" ? (
        <Tag tone="plain">{verb === "proposed" ? "Proposed a message" : "Scheduled a message"}</Tag>
      ) : (
        <StateTag of={OUTCOMES} state={props.outcome} />
      )}{" "}
      {props.failedEffects > 0 && props.outcome !== "failed" && (
        <Tag tone="bad">{props.failedEffects} failed</Tag>
      )}
    </>
  );
}

/** Labels for the gates that held back a decision's effects. */
const HELD_BACK: Readonly<Record<GateName, string>> = {
  handler: "A human is answering",
  loop: "Too many automatic answers",
  organization: "Organization deactivated",
  contact: "Contact erased",
  open: "Conversation closed",
  unchanged: "Conversation continued",
  declared: "",
};

/** The main reason for a decision, on up to two lines. Names the rule in question unless that rule decided. */
export function Reason(props: {
  ruleId: string | null;
  reason: NonNullable<DecisionsQuery["decisions"]["nodes"][number]["reason"]>;
}) {
  const { error, gate, ruleId, condition, isMet } = props.reason;
  const isOther = ruleId !== props.ruleId;
  if (error === null && gate === null && condition === null && !(isOther && isMet)) return null;
  return (
    <p className={pageStyles.second}>
      <Name>
        {error ?? (gate !== null && (HELD_BACK[gate] ?? gate))}
        {error === null && gate === null && (
          <>
            {isOther && isMet ? "Matched too recently" : <code>{condition}</code>}
            {!isMet && " wasn’t met"}
            {isOther && ` (${ruleId})`}
          </>
        )}
      </Name>
    </p>
  );
}
