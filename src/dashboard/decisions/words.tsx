import { Tag } from "../ui/tag";
import type { DecisionOutcome, DecisionState } from "./documents.generated";

const OUTCOMES = {
  send: { label: "Sent a message", tone: "good" },
  handoff: { label: "Handed off", tone: "warn" },
  silent: { label: "Sent nothing", tone: "plain" },
  stale: { label: "Out of date", tone: "plain" },
} as const satisfies Record<DecisionOutcome, unknown>;

/** The outcomes as filter options. */
export const OUTCOME_OPTIONS = (Object.keys(OUTCOMES) as DecisionOutcome[]).map((value) => ({
  value,
  label: OUTCOMES[value].label,
}));

/** The outcome of a decision, as a tag. */
export function OutcomeTag(props: { state: DecisionState; outcome: DecisionOutcome | null }) {
  if (props.state === "failed") return <Tag tone="bad">Failed</Tag>;
  if (props.outcome === null) return <Tag tone="plain">Deciding</Tag>;
  const { label, tone } = OUTCOMES[props.outcome];
  return <Tag tone={tone}>{label}</Tag>;
}

const DEEDS: Readonly<Record<string, string>> = {
  send: "sent a message",
  addTags: "added tags",
  removeTags: "removed tags",
  move: "moved the conversation",
  handoff: "handed off to a human",
  close: "closed the conversation",
  ask: "asked a model",
};

/** Summarizes the effects that were applied, each kind once: "sent a message and added tags". */
export function deedsOf(effects: readonly { kind: string; status: string }[]): string {
  const done = effects.filter(({ status }) => status === "done");
  const deeds = [...new Set(done.map(({ kind }) => DEEDS[kind] ?? kind))];
  if (deeds.length === 0) return "did nothing";
  const last = deeds.at(-1);
  return deeds.length === 1 ? `${last}` : `${deeds.slice(0, -1).join(", ")} and ${last}`;
}

/** Why a decision did nothing or sent nothing, by the closed gate. */
export const CLOSED_GATES: Readonly<Record<string, string>> = {
  handler: "A human answers in this conversation, so the agent did nothing.",
  loop: "The address got too many automatic answers within an hour, so the agent sent nothing.",
  contact: "The contact was erased before the decision was made, so nothing was done.",
  open: "The conversation was closed before the decision was made, so nothing was done.",
  unchanged: "The conversation continued before the decision was made, so nothing was done.",
};
