import type { KeyFragment } from "../api/documents.generated";
import { Time } from "../ui/format";
import styles from "./dialogs.module.css";

/** The key that a dialog is about, and its last use. */
export const KeyFacts = ({ apiKey }: { apiKey: KeyFragment }) => (
  <dl className={styles.facts}>
    <dt>Key</dt>
    <dd>
      <strong>{apiKey.name}</strong> <code>{apiKey.hint}</code>
    </dd>
    <dt>Agent</dt>
    <dd>{apiKey.agent.name}</dd>
    <dt>Last used</dt>
    <dd>
      {apiKey.lastUsedAt === null ? "Never" : <Time value={apiKey.lastUsedAt} />}
      {apiKey.lastUsedIp !== null && ` from ${apiKey.lastUsedIp}`}
    </dd>
  </dl>
);
