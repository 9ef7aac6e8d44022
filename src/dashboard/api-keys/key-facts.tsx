import { Time } from "../ui/format";
import styles from "./dialogs.module.css";
import type { KeyFragment } from "./documents.generated";
import { ownerOf } from "./key-owner";
import { spelled } from "./scopes";

/** Describes the key that a dialog is about: prefix, owner, scopes and last use. */
export const KeyFacts = ({ apiKey }: { apiKey: KeyFragment }) => (
  <dl className={styles.facts}>
    <dt>Key</dt>
    <dd>
      <code>{apiKey.hint}</code>
    </dd>
    <dt>{apiKey.agent ? "Agent" : "Manages"}</dt>
    <dd>{ownerOf(apiKey)}</dd>
    <dt>Scopes</dt>
    <dd>{apiKey.scopes?.map(spelled).join(", ") ?? "All scopes"}</dd>
    <dt>Last used</dt>
    <dd>
      {apiKey.lastUsedAt === null ? "Never" : <Time value={apiKey.lastUsedAt} />}
      {apiKey.lastUsedIp !== null && ` from ${apiKey.lastUsedIp}`}
    </dd>
  </dl>
);
