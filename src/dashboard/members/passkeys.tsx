import type { ReactNode } from "react";
import { usePolledQuery } from "../api/client";
import { Time } from "../ui/format";
import { Name } from "../ui/name";
import { Empty } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Result } from "../ui/result";
import { ACTIONS, columnsOf, DataTable } from "../ui/table";
import { PasskeysDocument, type PasskeysQuery } from "./documents.generated";

export type PasskeyEntry = PasskeysQuery["passkeys"][number];

const COLUMNS = columnsOf("Passkey", "Added", "Last used", ACTIONS);

/**
 * A member's passkeys.
 * @param memberId another member; the signed-in member if omitted
 * @param actions the actions available for each passkey
 */
export function Passkeys(props: { memberId?: string; actions: (passkey: PasskeyEntry) => ReactNode }) {
  const { memberId = null, actions } = props;
  const query = usePolledQuery(PasskeysDocument, { memberId }, { pollMs: 30_000 });
  return (
    <div className={pageStyles.container}>
      <Result query={query} height={120}>
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <Empty title="No passkeys" />
          ) : (
            <DataTable
              label="Passkeys"
              columns={COLUMNS}
              rows={passkeys}
              cells={(passkey) => [
                <Name key="name">{passkey.name}</Name>,
                <Time key="created" value={passkey.createdAt} />,
                passkey.lastUsedAt ? <Time key="used" value={passkey.lastUsedAt} /> : "Never",
                actions(passkey),
              ]}
            />
          )
        }
      </Result>
    </div>
  );
}
