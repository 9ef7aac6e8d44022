import { counter } from "../../telemetry/feature-metrics";
import { DeciderKind } from "../configuration/decider";
import type { Effect, EffectError } from "../configuration/document/effect";
import { DecisionOutcome } from "./decision.entity";
import type { EffectStatus } from "./explanation";

/** Decisions that could not be made also count as failed. */
export const DECISIONS = counter("gateway_decisions_total", "Decisions, by decider and outcome.", {
  decider: Object.values(DeciderKind),
  outcome: Object.values(DecisionOutcome),
});

export const MODEL_TOKENS = counter(
  "gateway_model_tokens_total",
  "Model input and output tokens, as counted by the model server.",
  { kind: ["input", "output"] },
);

/** The label value for effects without an error. */
export const NO_ERROR = "none";

const TEMPLATE: readonly EffectError["code"][] = ["template_error", "too_expensive"];

const FAILURES: Readonly<Record<Effect["kind"], readonly string[]>> = {
  send: [
    "not_found",
    "not_deliverable",
    "opted_out",
    "undeliverable",
    "conflict",
    "limit_reached",
    ...TEMPLATE,
  ],
  addTags: ["not_found", "limit_reached"],
  removeTags: ["not_found"],
  move: ["not_found", "not_deliverable", "conflict"],
  handoff: ["not_found", "not_deliverable", "conflict"],
  close: ["not_found"],
  later: ["limit_reached", "invalid_request", ...TEMPLATE],
  cancelTimer: TEMPLATE,
  ask: ["no_model", "limit_reached", "model_failed", "model_timeout", "model_invalid", ...TEMPLATE],
};
const KINDS = Object.keys(FAILURES) as Effect["kind"][];
const STATUSES: readonly EffectStatus[] = ["done", "failed", "unchanged", "skipped"];

const CODES = [NO_ERROR, "handed_off", "loop", ...new Set(Object.values(FAILURES).flat())];

export const EFFECTS = counter(
  "gateway_effects_total",
  "Decision effects, by kind, status and error code.",
  { kind: KINDS, status: STATUSES, code: CODES },
  KINDS.flatMap((kind) => [
    ...["done", "unchanged"].map((status) => [kind, status, NO_ERROR]),
    ...FAILURES[kind].map((code) => [kind, "failed", code]),
    [kind, "skipped", "handed_off"],
    ...(kind === "send" || kind === "ask" ? [[kind, "skipped", "loop"]] : []),
  ]),
);
