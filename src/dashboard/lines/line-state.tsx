import { Time } from "../ui/format";
import pageStyles from "../ui/page.module.css";
import { StateTag, Tag } from "../ui/tag";
import type { LineFragment } from "./documents.generated";
import styles from "./lines.module.css";

const STATES = {
  active: { label: "Active", tone: "good" },
  paused: { label: "Paused", tone: "warn" },
  archived: { label: "Archived", tone: "plain" },
} as const;

export const LineTag = ({ state, fault }: Pick<LineFragment, "state" | "fault">) =>
  state === "active" && fault !== null ? (
    <Tag tone="bad">Failing</Tag>
  ) : (
    <StateTag of={STATES} state={state} />
  );

/** The state of a line, with the reason for a pause, or the reason and start of a fault. */
export const LineState = ({ line }: { line: Pick<LineFragment, "state" | "fault" | "pausedReason"> }) => {
  const { state, fault, pausedReason } = line;
  return (
    <div className={styles.state}>
      <LineTag state={state} fault={fault} />
      {pausedReason !== null && (
        <p className={pageStyles.second}>
          <bdi>{pausedReason}</bdi>
        </p>
      )}
      {fault !== null && (
        <p className={pageStyles.second}>
          {state === "active" ? "since" : "Failing since"} <Time value={fault.since} isExact />:{" "}
          {fault.detail}
        </p>
      )}
    </div>
  );
};
