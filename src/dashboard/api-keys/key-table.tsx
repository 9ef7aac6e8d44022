import { IconPencil } from "@tabler/icons-react";
import { Link } from "wouter";
import type { KeyFragment } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Time } from "../ui/format";
import { Icon } from "../ui/icon";
import { type Column, DataTable, LoadingRows, Row } from "../ui/table";
import { KeyState } from "./key-state";
import styles from "./key-table.module.css";

/** The actions on an active key. */
export type KeyAction = "rename" | "rotate" | "revoke";

interface Actions {
  onAction: (action: KeyAction, key: KeyFragment) => void;
}

/** What `createdBy` says of keys that were created on the server. */
const COMMAND_LINE = "command line";

const COLUMNS: readonly Column[] = [
  { heading: "Name" },
  { heading: "Agent" },
  { heading: "Status" },
  { heading: "Created" },
  { heading: "Last used" },
  { heading: "Actions", hidden: true },
];

/** Keys with their actions; placeholders while `keys` is undefined. */
export const KeyTable = (props: { keys: readonly KeyFragment[] | undefined; stale: boolean } & Actions) => (
  <DataTable label="API keys" columns={COLUMNS} stale={props.stale}>
    {props.keys === undefined && <LoadingRows columns={COLUMNS} count={6} />}
    {props.keys?.map((key) => (
      <Row
        key={key.id}
        columns={COLUMNS}
        cells={[
          <Name key="name" apiKey={key} onAction={props.onAction} />,
          <span key="agent">{key.agent.name}</span>,
          <KeyState key="state" apiKey={key} />,
          <Created key="created" apiKey={key} />,
          <LastUsed key="used" apiKey={key} />,
          <Buttons key="actions" apiKey={key} onAction={props.onAction} />,
        ]}
      />
    ))}
  </DataTable>
);

type Part = { apiKey: KeyFragment };

function Name({ apiKey, onAction }: Part & Actions) {
  const { deactivated } = useViewer();
  return (
    <>
      <p className={styles.name}>
        {apiKey.name}
        {apiKey.state === "active" && apiKey.replacedById === null && (
          <button
            type="button"
            className={styles.rename}
            disabled={deactivated}
            aria-label={`Rename ${apiKey.name}`}
            onClick={() => onAction("rename", apiKey)}
          >
            <Icon of={IconPencil} size={14} />
          </button>
        )}
      </p>
      <p className={styles.hint}>
        <code>{apiKey.hint}</code>
      </p>
    </>
  );
}

const Created = ({ apiKey }: Part) => (
  <>
    <p>
      <Time value={apiKey.createdAt} />
    </p>
    {apiKey.createdBy !== null && (
      <p className={styles.one} title={apiKey.createdBy}>
        {apiKey.createdBy === COMMAND_LINE ? "via CLI" : `by ${apiKey.createdBy}`}
      </p>
    )}
  </>
);

const LastUsed = ({ apiKey }: Part) =>
  apiKey.lastUsedAt === null ? (
    <p className={styles.second}>Never</p>
  ) : (
    <>
      <p>
        <Time value={apiKey.lastUsedAt} />
      </p>
      {apiKey.lastUsedIp !== null && (
        <p className={styles.one} title={apiKey.lastUsedIp}>
          from {apiKey.lastUsedIp}
        </p>
      )}
    </>
  );

function Buttons({ apiKey, onAction }: Part & Actions) {
  const { deactivated } = useViewer();
  const { name } = apiKey;
  return (
    <div className={styles.actions}>
      <Link href={`/audit-log?target=${apiKey.id}`} aria-label={`History of ${name}`}>
        History
      </Link>
      {apiKey.state === "active" && (
        <>
          {apiKey.replacedById === null && (
            <button
              type="button"
              className={styles.button}
              disabled={deactivated}
              aria-label={`Rotate ${name}`}
              onClick={() => onAction("rotate", apiKey)}
            >
              Rotate
            </button>
          )}
          <button
            type="button"
            className={`${styles.button} ${styles.revoke}`}
            aria-label={`Revoke ${name}`}
            onClick={() => onAction("revoke", apiKey)}
          >
            Revoke
          </button>
        </>
      )}
    </div>
  );
}
