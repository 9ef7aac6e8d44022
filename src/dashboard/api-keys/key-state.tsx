import { EXPIRING_DAYS } from "../../features/api-keys/api-key.limits";
import { Time } from "../ui/format";
import { DAY_MS } from "../ui/period";
import { StateTag } from "../ui/tag";
import type { ApiKeyState, KeyFragment } from "./documents.generated";
import styles from "./key-list.module.css";

/** The displayed state of a key. */
type KeyStatus = ApiKeyState | "rotating" | "expiring";

const STATUSES = {
  active: { label: "Active", tone: "good" },
  expiring: { label: "Expires soon", tone: "warn" },
  rotating: { label: "Rotating", tone: "warn" },
  expired: { label: "Expired", tone: "plain" },
  revoked: { label: "Revoked", tone: "plain" },
} as const satisfies Record<KeyStatus, unknown>;

export const STATE_OPTIONS = (["active", "expiring", "expired", "revoked"] as const).map((value) => ({
  value,
  label: STATUSES[value].label,
}));

/** Returns the state of a key; an active key may be rotating or expiring soon. */
export function statusOf({ state, isReplaced, expiresAt }: KeyFragment): KeyStatus {
  if (state !== "active") return state;
  if (isReplaced) return "rotating";
  const isExpiring = expiresAt !== null && Date.parse(expiresAt) - Date.now() <= EXPIRING_DAYS * DAY_MS;
  return isExpiring ? "expiring" : "active";
}

export const KeyTag = ({ status }: { status: KeyStatus }) => <StateTag of={STATUSES} state={status} />;

/** The state of a key, with its expiration or revocation time. */
export function KeyState({ apiKey }: { apiKey: KeyFragment }) {
  const { state, expiresAt, revokedAt, leakedAt } = apiKey;
  const moment = revokedAt ?? expiresAt;
  return (
    <div className={styles.state}>
      <KeyTag status={statusOf(apiKey)} />
      {moment !== null && (
        <span className={styles.second}>
          {state === "active" && "expires "}
          {leakedAt !== null && "leaked "}
          <Time value={moment} />
        </span>
      )}
    </div>
  );
}
