import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { change, usePolledQuery } from "../api/client";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { Name } from "../ui/name";
import { Empty } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Result } from "../ui/result";
import { columnsOf, DataTable, Row } from "../ui/table";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { PasskeysDocument, type PasskeysQuery, RemovePasskeyDocument } from "./documents.generated";
import styles from "./members.module.css";

export type PasskeyEntry = PasskeysQuery["passkeys"][number];

const COLUMNS = columnsOf("Passkey", "Added", "Last used", { heading: "Actions", hidden: true });

/** Polling interval (ms): passkeys rarely change. */
const POLL_INTERVAL_MS = 30_000;

/**
 * The passkeys of a member.
 * @param memberId another member; the signed-in member if omitted
 * @param actions actions on a passkey; by default, only removing it
 */
export function Passkeys(props: { memberId?: string; actions?: (passkey: PasskeyEntry) => ReactNode }) {
  const { memberId = null, actions } = props;
  const query = usePolledQuery(PasskeysDocument, { memberId }, { pollMs: POLL_INTERVAL_MS });
  const { error, run } = useTask();
  const remove = ({ id, name }: PasskeyEntry) =>
    run(async () => {
      await change(RemovePasskeyDocument, { id });
      toast(`Removed the passkey ${name}.`);
    });
  return (
    <div className={pageStyles.container}>
      {error !== undefined && <Failure error={error} />}
      <Result query={query} height={120}>
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <Empty title="No passkeys" />
          ) : (
            <DataTable label="Passkeys" columns={COLUMNS}>
              {passkeys.map((passkey) => (
                <Row
                  key={passkey.id}
                  columns={COLUMNS}
                  cells={[
                    <Name key="name">{passkey.name}</Name>,
                    <Time key="created" value={passkey.createdAt} />,
                    passkey.lastUsedAt ? <Time key="used" value={passkey.lastUsedAt} /> : "Never",
                    actions?.(passkey) ?? (
                      <span key="remove" className={styles.end}>
                        <Button
                          size="compact-sm"
                          variant="default"
                          aria-label={`Remove the passkey ${passkey.name}`}
                          onClick={() => remove(passkey)}
                        >
                          Remove
                        </Button>
                      </span>
                    ),
                  ]}
                />
              ))}
            </DataTable>
          )
        }
      </Result>
    </div>
  );
}
