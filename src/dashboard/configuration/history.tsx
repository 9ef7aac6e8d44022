import { useState } from "react";
import { usePolledQuery } from "../api/client";
import { useMembers } from "../members/use-members";
import type { Agent } from "../parts/agent-page";
import { useViewer } from "../session/session";
import { Time } from "../ui/format";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import { Name } from "../ui/name";
import { Card } from "../ui/page";
import { RowLink } from "../ui/row-link";
import { RowMenu } from "../ui/row-menu";
import { ACTIONS, columnsOf } from "../ui/table";
import { Tag } from "../ui/tag";
import styles from "./configuration.module.css";
import { ConfigurationVersionsDocument, type PublicationFragment } from "./documents.generated";

const { component: Restore } = loaded(async () => (await import("./restore")).Restore);

const COLUMNS = columnsOf("Version", "Note", "Published", "By", "Digest", ACTIONS);

/** The published versions of an agent's configuration. */
export function History({ agent, live }: { agent: Agent; live: number }) {
  const { deactivated } = useViewer();
  const { nameOfActor } = useMembers();
  const address = useListAddress();
  const [restored, setRestored] = useState<number>();
  const query = usePolledQuery(
    ConfigurationVersionsDocument,
    { agentId: agent.id, first: PAGE_SIZE, after: address.after },
    { pollMs: 60_000 },
  );
  const versions = query.data?.configurationVersions;
  return (
    <Card title="History">
      <List
        label="Versions"
        columns={COLUMNS}
        query={query}
        connection={
          versions && {
            ...versions,
            nodes: versions.nodes.map((node) => ({ ...node, id: String(node.version) })),
          }
        }
        empty={null}
        cells={(node) => [
          <span key="version" className={styles.version}>
            <RowLink href={`/configuration/${node.version}?agent=${agent.id}`}>
              {`Version ${node.version}`}
            </RowLink>
            {node.version === live && <Tag tone="good">Live</Tag>}
          </span>,
          <NoteOf key="note" version={node} />,
          <Time key="time" value={node.publishedAt} />,
          nameOfActor(node.publishedBy),
          <code key="digest" title={node.digest}>
            {node.digest.slice(0, 12)}
          </code>,
          !deactivated && node.version !== live && (
            <RowMenu
              key="actions"
              of={`version ${node.version}`}
              actions={[{ label: "Restore…", onClick: () => setRestored(node.version) }]}
            />
          ),
        ]}
      />
      {restored !== undefined && (
        <Restore agent={agent} version={restored} live={live} onClosed={() => setRestored(undefined)} />
      )}
    </Card>
  );
}

/** The publisher's note about the changes in a version. */
const NoteOf = ({ version: { note, restoredFrom } }: { version: PublicationFragment }) => (
  <Name>
    {restoredFrom !== null && <>Restored version {restoredFrom}</>}
    {restoredFrom !== null && note !== null && ": "}
    {note}
    {restoredFrom === null && note === null && <span className={styles.muted}>–</span>}
  </Name>
);
