import type { EffectKind, GateName, ReasonsFragment } from "./documents.generated";

/** The fields of an effect that determine how an outcome is named. */
export interface AppliedEffect {
  kind: EffectKind;
  status: string;
  delaySeconds: number | null;
  gate: { name: string } | null;
}

/** The gates that hold a message until a certain time, rather than until other messages or the line are ready. */
const WAITS_FOR_TIME: readonly string[] = ["delay", "window", "cap"];

type SentVerb = "proposed" | "scheduled" | "sent";

/** Returns the past-tense verb for a `send` effect, whose message may still be awaiting approval or its send time. */
const sentVerb = ({ gate, delaySeconds }: AppliedEffect): SentVerb => {
  if (gate?.name === "review") return "proposed";
  return (delaySeconds ?? 0) > 0 || WAITS_FOR_TIME.includes(gate?.name ?? "") ? "scheduled" : "sent";
};

/** Returns the past-tense verb for a decision's messages: "sent" if at least one was sent immediately. */
export function sentVerbOf(effects: readonly AppliedEffect[]): SentVerb {
  const verbs = appliedOf(effects).flatMap((effect) => (effect.kind === "send" ? sentVerb(effect) : []));
  return verbs.length === 0 || verbs.includes("sent")
    ? "sent"
    : (verbs.find((verb) => verb === "proposed") ?? "scheduled");
}

const appliedOf = (effects: readonly AppliedEffect[]) => effects.filter(({ status }) => status === "done");

const DEEDS: Readonly<Record<Exclude<EffectKind, "send">, string>> = {
  addTags: "added tags",
  removeTags: "removed tags",
  move: "moved the conversation",
  handoff: "handed off to a human",
  close: "closed the conversation",
  ask: "asked a model",
  later: "set a timer",
  cancelTimer: "canceled a timer",
};

/** Summarizes the effects that were applied, each kind once: "sent a message and added tags". */
export function deedsOf(effects: readonly AppliedEffect[]): string {
  const deeds = [
    ...new Set(
      appliedOf(effects).map((effect) =>
        effect.kind === "send" ? `${sentVerb(effect)} a message` : (DEEDS[effect.kind] ?? effect.kind),
      ),
    ),
  ];
  if (deeds.length === 0) return "did nothing";
  const last = deeds.at(-1);
  return deeds.length === 1 ? `${last}` : `${deeds.slice(0, -1).join(", ")} and ${last}`;
}

/** The name of a gate that holds nothing back and only warns of a possible mistake. */
const DECLARED = "declared";

/** Explains how a closed gate held a decision back; undefined if no gate did. */
export function closedGate({
  gates,
  effects,
}: Pick<ReasonsFragment, "gates" | "effects">): string | undefined {
  const name = gates.flatMap(({ name, passed }) => (passed || name === DECLARED ? [] : [name]))[0];
  if (name === undefined) return undefined;
  if (name === "handler" && effects.some(({ status }) => status === "done"))
    return `A human is answering in this conversation, but the agent still ${deedsOf(effects)} (whileHuman).`;
  return CLOSED_GATES[name] ?? `The gate ${name} was closed.`;
}

/** Notes that a situation's type is not declared, because it may be misspelled. */
export function Undeclared({ gates }: Pick<ReasonsFragment, "gates">) {
  const gate = gates.find(({ name, passed }) => !passed && name === DECLARED);
  if (gate === undefined) return null;
  return (
    <>
      {" "}
      The configuration doesn’t declare this type of situation
      {gate.nearest !== null && (
        <>
          . Did you mean <code>{gate.nearest}</code>?
        </>
      )}
      {gate.nearest === null && "."}
    </>
  );
}

const CLOSED_GATES: Readonly<Record<Exclude<GateName, typeof DECLARED>, string>> = {
  handler: "A human is answering in this conversation, so the agent did nothing.",
  loop: "The address got too many automatic answers within an hour, so the agent sent nothing.",
  organization: "The organization was deactivated before the decision was made, so nothing was done.",
  contact: "The contact was erased before the decision was made, so nothing was done.",
  open: "The conversation was closed before the decision was made, so nothing was done.",
  unchanged: "The conversation continued before the decision was made, so nothing was done.",
};
