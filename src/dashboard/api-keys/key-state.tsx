import type { ApiKeyState, KeyFragment } from "../api/documents.generated";
import { Time } from "../ui/format";
import { Tag } from "../ui/tag";
import styles from "./key-table.module.css";

/** The state of a key; "rotating" is an active key that has a successor. */
type KeyStatus = ApiKeyState | "rotating";

const STATUSES = {
  active: { label: "Active", tone: "good" },
  rotating: { label: "Rotating", tone: "warn" },
  expired: { label: "Expired", tone: "plain" },
  revoked: { label: "Revoked", tone: "bad" },
} as const satisfies Record<KeyStatus, unknown>;

/** The states as a filter offers them. */
export const STATE_OPTIONS = (["active", "expired", "revoked"] as const).map((value) => ({
  value,
  label: STATUSES[value].label,
}));

/** The state of a key as a tag. */
export const KeyTag = ({ status }: { status: KeyStatus }) => (
  <Tag tone={STATUSES[status].tone}>{STATUSES[status].label}</Tag>
);

/** Whether a key is accepted, and until or since when. */
export function KeyState({ apiKey }: { apiKey: KeyFragment }) {
  const { state, replacedById, expiresAt, revokedAt } = apiKey;
  const moment = revokedAt ?? expiresAt;
  return (
    <div className={styles.state}>
      <KeyTag status={state === "active" && replacedById !== null ? "rotating" : state} />
      {moment !== null && (
        <span className={styles.second}>
          {state === "active" && "expires "}
          <Time value={moment} />
        </span>
      )}
    </div>
  );
}
