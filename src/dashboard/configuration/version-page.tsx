import { Button, NativeSelect, Skeleton } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "wouter";
import { usePolledQuery } from "../api/client";
import { useMembers } from "../members/use-members";
import { type Agent, AgentPage } from "../parts/agent-page";
import { useViewer } from "../session/session";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { loaded } from "../ui/loaded";
import { Card, Empty } from "../ui/page";
import { Tag } from "../ui/tag";
import styles from "./configuration.module.css";
import { Diff } from "./diff";
import { textOf } from "./document-text";
import { ConfigurationDocumentDocument, ConfigurationVersionDocument } from "./documents.generated";

const { component: Restore } = loaded(async () => (await import("./restore")).Restore);

/** A published version: who published it, when and why, and how it differs from others. */
export function VersionPage() {
  const { version = "" } = useParams<{ version: string }>();
  return (
    <AgentPage title={`Version ${version}`} section={<Link href="/configuration">Configuration</Link>}>
      {(agent) => <Version key={agent.id} agent={agent} number={Number(version)} />}
    </AgentPage>
  );
}

function Version({ agent, number }: { agent: Agent; number: number }) {
  const { may, deactivated } = useViewer();
  const { nameOfActor } = useMembers();
  const [restores, setRestores] = useState(false);
  // GraphQL rejects numbers outside the range of Int.
  const isNumeric = Number.isInteger(number) && number > 0 && number < 2 ** 31;
  const { data, error, refetch } = usePolledQuery(
    ConfigurationVersionDocument,
    { agentId: agent.id, version: number },
    { enabled: isNumeric, pollMs: Number.POSITIVE_INFINITY },
  );
  if (error !== null && data === undefined) return <Failure error={error} retry={refetch} />;
  if (!isNumeric || data?.configuration === null) {
    return (
      <Empty title="No such version">
        <p>
          <Link href={`/configuration?agent=${agent.id}`}>Back to the configuration</Link>
        </p>
      </Empty>
    );
  }
  if (data === undefined) return <Skeleton height={360} radius="lg" />;
  const { configuration: version, live } = data;
  const isLive = version.version === live?.version;
  return (
    <>
      <Card
        title="Details"
        aside={
          isLive ? (
            <Tag tone="good">Live</Tag>
          ) : (
            !deactivated && (
              <Button variant="default" size="xs" onClick={() => setRestores(true)}>
                Restore…
              </Button>
            )
          )
        }
      >
        <Facts
          facts={{
            Note: version.note,
            "Restored from": version.restoredFrom !== null && `Version ${version.restoredFrom}`,
            Published: <Time value={version.publishedAt} />,
            By: nameOfActor(version.publishedBy),
            Decisions: may("conversations_read") && (
              <Link href={`/decisions?agent=${agent.id}&version=${number}`}>View decisions</Link>
            ),
            "Digest (SHA-256)": <code>{version.digest}</code>,
          }}
        />
      </Card>
      <Difference
        agent={agent}
        version={version.version}
        live={live?.version ?? number}
        document={version.document}
      />
      {restores && live && (
        <Restore agent={agent} version={number} live={live.version} onClosed={() => setRestores(false)} />
      )}
    </>
  );
}

/** A version's changes, and its differences from the live version. */
function Difference(props: { agent: Agent; version: number; live: number; document: unknown }) {
  const { agent, version, live, document } = props;
  const [against, setAgainst] = useState(version > 1 ? version - 1 : live);
  const options = [
    ...(version > 1 ? [{ value: String(version - 1), label: `Since version ${version - 1}` }] : []),
    ...(live !== version ? [{ value: String(live), label: `To version ${live} (live)` }] : []),
    { value: "0", label: "The whole document" },
  ].filter(({ value }, i, all) => all.findIndex((other) => other.value === value) === i);
  const chosen = options.some(({ value }) => value === String(against)) ? against : 0;
  const { data, error, refetch } = usePolledQuery(
    ConfigurationDocumentDocument,
    { agentId: agent.id, version: chosen },
    { enabled: chosen !== 0 && chosen !== version, pollMs: Number.POSITIVE_INFINITY },
  );
  const other = data?.configuration?.document;
  return (
    <Card
      title="Document"
      aside={
        <NativeSelect
          aria-label="Show"
          size="xs"
          data={options}
          value={String(chosen)}
          onChange={({ currentTarget }) => setAgainst(Number(currentTarget.value))}
        />
      }
    >
      {chosen === 0 ? (
        <Document document={document} />
      ) : error !== null && other === undefined ? (
        <Failure error={error} retry={refetch} />
      ) : other === undefined ? (
        <Skeleton height={160} radius={0} />
      ) : chosen > version ? (
        <Diff label={`Changes from version ${version} to ${chosen}`} before={document} after={other} />
      ) : (
        <Diff label={`Changes from version ${chosen} to ${version}`} before={other} after={document} />
      )}
    </Card>
  );
}

const Document = ({ document }: { document: unknown }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard
  <section className={styles.diff} aria-label="Document as JSON" tabIndex={0}>
    <pre>{textOf(document)}</pre>
  </section>
);
