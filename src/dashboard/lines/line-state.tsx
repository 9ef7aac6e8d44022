import { Tag } from "../ui/tag";
import type { LineState } from "./documents.generated";

const STATES = {
  active: { tone: "good", text: "Active" },
  paused: { tone: "warn", text: "Paused" },
  archived: { tone: "plain", text: "Archived" },
} as const;

/** The state of a line as a tag. */
export const lineStateTag = (state: LineState) => (
  <Tag key="state" tone={STATES[state].tone}>
    {STATES[state].text}
  </Tag>
);
