import { StateTag } from "../ui/tag";
import type { LineState } from "./documents.generated";

const STATES = {
  active: { label: "Active", tone: "good" },
  paused: { label: "Paused", tone: "warn" },
  archived: { label: "Archived", tone: "plain" },
} as const;

/** The state of a line as a tag. */
export const lineStateTag = (state: LineState) => <StateTag key="state" of={STATES} state={state} />;
