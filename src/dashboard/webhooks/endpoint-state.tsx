import { Time } from "../ui/format";
import pageStyles from "../ui/page.module.css";
import { Tag } from "../ui/tag";
import type { EndpointFragment, WebhookDisabledReason } from "./documents.generated";
import styles from "./webhooks.module.css";

const REASONS: Readonly<Record<WebhookDisabledReason, string>> = {
  requested: "Disabled by a manager",
  gone: "It responded with 410 Gone",
  failing: "Every attempt failed for five days",
  restored: "The database was restored from a backup",
  secret_lost: "Its signing secret was lost: rotate it first",
};

/** The state of an endpoint, with the reason if it is disabled, or the start of its failures. */
export const EndpointState = ({ endpoint }: { endpoint: EndpointFragment }) => {
  const { state, disabledReason, failingSince } = endpoint;
  if (state === "disabled") {
    return (
      <div className={styles.state}>
        <Tag tone={disabledReason === "requested" ? "plain" : "bad"}>Disabled</Tag>
        {disabledReason !== null && (
          <p className={pageStyles.second}>{REASONS[disabledReason] ?? disabledReason}</p>
        )}
      </div>
    );
  }
  if (failingSince === null) return <Tag tone="good">Active</Tag>;
  return (
    <div className={styles.state}>
      <Tag tone="bad">Failing</Tag>
      <p className={pageStyles.second}>
        since <Time value={failingSince} isExact />
      </p>
    </div>
  );
};
