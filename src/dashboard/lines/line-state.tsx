import { StateTag, Tag, Tags } from "../ui/tag";
import type { LineFragment } from "./documents.generated";

const STATES = {
  active: { label: "Active", tone: "good" },
  paused: { label: "Paused", tone: "warn" },
  archived: { label: "Archived", tone: "plain" },
} as const;

export const lineStateTag = ({ state, fault }: Pick<LineFragment, "state" | "fault">) => (
  <Tags key="state">
    <StateTag of={STATES} state={state} />
    {fault !== null && <Tag tone="bad">Can’t send</Tag>}
  </Tags>
);
