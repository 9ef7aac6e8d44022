import type { KeyFragment } from "../api/documents.generated";
import { Tag } from "../ui/tag";
import { Time } from "../ui/time";
import styles from "./key-table.module.css";

/** Whether a key is accepted, and until or since when. */
export const KeyState = ({ apiKey }: { apiKey: KeyFragment }) => (
  <div className={styles.state}>
    <Mark apiKey={apiKey} />
    <Since apiKey={apiKey} />
  </div>
);

function Mark({ apiKey: { state, replacedById } }: { apiKey: KeyFragment }) {
  if (state === "revoked") return <Tag tone="bad">Revoked</Tag>;
  if (state === "expired") return <Tag tone="plain">Expired</Tag>;
  return replacedById === null ? <Tag tone="good">Active</Tag> : <Tag tone="warn">Being replaced</Tag>;
}

function Since({ apiKey: { state, expiresAt, revokedAt } }: { apiKey: KeyFragment }) {
  const moment = revokedAt ?? expiresAt;
  if (moment === null) return null;
  return (
    <span className={styles.second}>
      {state === "active" && "ends "}
      <Time value={moment} />
    </span>
  );
}
