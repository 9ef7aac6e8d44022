import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { change, usePolledQuery } from "../api/client";
import { AuditEntry } from "../audit-log/audit-entry";
import auditStyles from "../audit-log/audit-log.module.css";
import { AuditLogDocument } from "../audit-log/documents.generated";
import { type Names, useMembers } from "../members/use-members";
import { useViewer } from "../session/session";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { formatNumber, Time } from "../ui/format";
import { Notice } from "../ui/notice";
import { Card, LoadingPage, Page } from "../ui/page";
import { RowMenu } from "../ui/row-menu";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import styles from "./api-key.module.css";
import { ApiKeyDocument, type KeyFragment, RevokeApiKeyDocument } from "./documents.generated";
import { addressOf, historyOf, isRotatable, useKeyActions } from "./key-actions";
import { ownerOf } from "./key-owner";
import { KeyTag, statusOf } from "./key-state";
import { KeyUsage } from "./key-usage";
import { spelled } from "./scopes";

const LOG_INTERVAL_MS = 30_000;

/** Number of audit log entries on a key's page. */
const LOG_ENTRIES = 5;

const SECTION = <Link href="/api-keys">API keys</Link>;

/** The page of one API key, with its facts, usage and actions. */
export function ApiKey() {
  const { id = "" } = useParams<{ id: string }>();
  const { data, error, refetch } = usePolledQuery(ApiKeyDocument, { id }, { pollMs: 15_000 });
  if (data === undefined) {
    if (error === null) return <LoadingPage title="API key" section="API keys" />;
    return (
      <Page section={SECTION} title="API key">
        <Failure error={error} retry={refetch} />
      </Page>
    );
  }
  if (data.apiKey === null) {
    return (
      <Page section={SECTION} title="API key not found">
        <p>
          Check the URL or go back to <Link href="/api-keys">API keys</Link>.
        </p>
      </Page>
    );
  }
  return <Shown apiKey={data.apiKey} />;
}

function Shown({ apiKey }: { apiKey: KeyFragment }) {
  const { nameOfActor } = useMembers();
  const { deactivated } = useViewer();
  const { open, menuOf, dialog } = useKeyActions();
  return (
    <Page
      section={SECTION}
      title={apiKey.name}
      summary={
        <span className={styles.lead}>
          <code>{apiKey.hint}</code> <KeyTag status={statusOf(apiKey)} />
        </span>
      }
      actions={
        <>
          {isRotatable(apiKey) && (
            <Button variant="default" disabled={deactivated} onClick={() => open("rotate", apiKey)}>
              Rotate
            </Button>
          )}
          <RowMenu of={apiKey.name} actions={menuOf(apiKey)} />
        </>
      }
    >
      <Rotation apiKey={apiKey} />
      <KeyUsage apiKey={apiKey} />
      <Card title="Details">
        <Facts facts={factsOf(apiKey, nameOfActor)} />
      </Card>
      <Log apiKey={apiKey} />
      {dialog}
    </Page>
  );
}

function factsOf(key: KeyFragment, nameOfActor: Names["nameOfActor"]): Record<string, ReactNode> {
  const { createdBy, rateLimitPerMinute, allowedNetworks } = key;
  const time = (value: string | null) => value !== null && <Time value={value} />;
  return {
    Description: key.description,
    "Connected application": key.clientId,
    [key.agent ? "Agent" : "Manages"]:
      key.agent === null ? ownerOf(key) : <Link href={`/agents/${key.agent.id}`}>{key.agent.name}</Link>,
    Scopes: key.scopes?.map(spelled).join(", ") ?? "All scopes",
    "Rate limit":
      rateLimitPerMinute === null
        ? "Server default"
        : `${formatNumber(rateLimitPerMinute)} ${rateLimitPerMinute === 1 ? "request" : "requests"} per minute`,
    "Allowed networks": allowedNetworks?.join(", ") ?? "Any",
    Created: (
      <>
        <Time value={key.createdAt} />
        {createdBy !== null && ` by ${nameOfActor(createdBy)}`}
      </>
    ),
    Expires: key.state === "active" && (time(key.expiresAt) || "Never"),
    Expired: key.state === "expired" && time(key.expiresAt),
    Revoked: time(key.revokedAt),
    "Reported as leaked": time(key.leakedAt),
    "Last used":
      key.lastUsedAt === null ? (
        "Never"
      ) : (
        <>
          {time(key.lastUsedAt)}
          {key.lastUsedIp !== null && ` from ${key.lastUsedIp}`}
        </>
      ),
  };
}

/** Shows whether a replaced key is still in use and, if so, when and from where it was last used. */
function UseSinceRotation({ apiKey, successorId }: { apiKey: KeyFragment; successorId: string }) {
  const { lastUsedAt, lastUsedIp } = apiKey;
  const successor = usePolledQuery(ApiKeyDocument, { id: successorId }, { pollMs: LOG_INTERVAL_MS }).data
    ?.apiKey;
  if (successor == null) return null;
  if (lastUsedAt === null || lastUsedAt <= successor.createdAt)
    return " It has not been used since the rotation, so you can revoke it.";
  return (
    <>
      {" "}
      It is still used{lastUsedIp !== null && ` from ${lastUsedIp}`}, last <Time value={lastUsedAt} />.
    </>
  );
}

/** Shows that this key was replaced, and offers to keep it if its replacement no longer works. */
function Rotation({ apiKey }: { apiKey: KeyFragment }) {
  const { name, state, isReplaced, replacedById, expiresAt } = apiKey;
  const { deactivated } = useViewer();
  const { busy, error, run } = useTask();
  if (replacedById === null) return null;
  const successor = <Link href={addressOf(replacedById)}>a new key</Link>;
  if (state !== "active" || isReplaced) {
    return (
      <p className={styles.notice}>
        This key was replaced by {successor}
        {state === "active" && expiresAt !== null && (
          <>
            {" "}
            and expires <Time value={expiresAt} />
          </>
        )}
        .{state === "active" && <UseSinceRotation apiKey={apiKey} successorId={replacedById} />}
      </p>
    );
  }
  const keep = () =>
    run(async () => {
      await change(RevokeApiKeyDocument, { id: replacedById, keepReplaced: true });
      toast(`Kept ${name}.`);
    });
  return (
    <Notice className={styles.alert} tone="warn" role="note" icon={IconAlertTriangle}>
      <p className={styles.sentence}>
        This key was replaced by {successor}, which no longer works, and this one expires{" "}
        {expiresAt !== null && <Time value={expiresAt} />}. After that, no key from this rotation works.
      </p>
      {error !== undefined && <Failure error={error} />}
      <Button size="xs" variant="default" mt="sm" disabled={deactivated} loading={busy} onClick={keep}>
        Keep this key
      </Button>
    </Notice>
  );
}

/** The latest audit log entries about a key. */
function Log({ apiKey }: { apiKey: KeyFragment }) {
  const { labelOf } = useMembers();
  const { data } = usePolledQuery(
    AuditLogDocument,
    { first: LOG_ENTRIES, targetId: apiKey.id, named: false, counted: false },
    { pollMs: LOG_INTERVAL_MS },
  );
  return (
    <Card title="History" aside={<Link href={historyOf(apiKey.id)}>View all in the audit log</Link>}>
      <ul className={auditStyles.entries} aria-label="Entries">
        {data?.auditLog.nodes.map((entry) => (
          <AuditEntry key={entry.id} entry={entry} labelOf={labelOf} />
        ))}
      </ul>
    </Card>
  );
}
