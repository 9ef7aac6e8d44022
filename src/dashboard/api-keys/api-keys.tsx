import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { Link } from "wouter";
import { EXPIRING_DAYS } from "../../features/api-keys/api-key.limits";
import { usePolledQuery } from "../api/client";
import { AgentsDocument } from "../parts/documents.generated";
import { useViewer } from "../session/session";
import { Copyable } from "../ui/copyable";
import { formatCount, formatNumber, Time } from "../ui/format";
import { Icon } from "../ui/icon";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import { Empty, Page, Placeholder } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { RowMenu } from "../ui/row-menu";
import { ACTIONS, columnsOf } from "../ui/table";
import { Tag } from "../ui/tag";
import {
  ApiKeysDocument,
  type KeyFragment,
  KeysToWatchDocument,
  type KeysToWatchQuery,
} from "./documents.generated";
import { addressOf, useKeyActions } from "./key-actions";
import { FILTERS, KeyFilters, keyFilterOf } from "./key-filters";
import styles from "./key-list.module.css";
import { ownerOf } from "./key-owner";
import { KeyState } from "./key-state";
import { PastedKey } from "./pasted-key";

const { component: CreateKey } = loaded(async () => (await import("./create-key")).CreateKey);

/** Polling interval (ms); long because keys are rarely rejected or about to expire. */
const WATCH_INTERVAL_MS = 60_000;

const COLUMNS = columnsOf("Name", "Agent", "Status", "Created", "Last used", ACTIONS);

/** The organization's API keys: find, create and manage them. */
export function ApiKeys() {
  const { deactivated } = useViewer();
  const address = useListAddress();
  const { open, menuOf, dialog } = useKeyActions();
  const agents = usePolledQuery(AgentsDocument, {}, { pollMs: WATCH_INTERVAL_MS }).data?.agents;
  const query = usePolledQuery(
    ApiKeysDocument,
    { first: PAGE_SIZE, after: address.after, ...keyFilterOf(address) },
    { pollMs: 15_000 },
  );
  const { data: watch, isPending } = usePolledQuery(
    KeysToWatchDocument,
    { days: EXPIRING_DAYS },
    { pollMs: WATCH_INTERVAL_MS },
  );
  const create = () => address.filter({ create: "yes" });

  return (
    <Page
      title="API keys"
      lead="Programs and MCP clients use API keys to act as an agent or to manage the organization. You’ll see a key’s secret only once, when you create it."
      actions={
        <Button leftSection={<Icon of={IconPlus} size={16} />} disabled={deactivated} onClick={create}>
          Create API key
        </Button>
      }
    >
      {isPending ? (
        <Placeholder />
      ) : (
        <>
          {watch && <Watch watch={watch} />}
          <PastedKey
            keys={query.isPlaceholderData ? undefined : query.data?.apiKeys.nodes}
            onRevoke={(key) => open("revoke", key)}
          />
          <div className={pageStyles.card}>
            <KeyFilters agents={agents} />
            <List
              label="API keys"
              columns={COLUMNS}
              query={query}
              connection={query.data?.apiKeys}
              filters={FILTERS}
              empty={
                <Empty title="No API keys yet">
                  <p>Create one key per app or service so you can rotate or revoke each independently.</p>
                  <Button size="xs" disabled={deactivated} onClick={create}>
                    Create your first API key
                  </Button>
                </Empty>
              }
              cells={(key) => [
                <Name key="name" apiKey={key} />,
                ownerOf(key),
                <div key="state" className={styles.states}>
                  <div className={styles.state}>
                    <KeyState apiKey={key} />
                    <RejectedTag use={watch?.refused.find(({ apiKey }) => apiKey.id === key.id)} />
                  </div>
                </div>,
                <Time key="created" value={key.createdAt} />,
                key.lastUsedAt === null ? "Never" : <Time key="used" value={key.lastUsedAt} />,
                <div key="actions" className={styles.actions}>
                  <RowMenu of={key.name} actions={menuOf(key)} />
                </div>,
              ]}
            />
          </div>
        </>
      )}
      {address.get("create") !== "" && !deactivated && agents !== undefined && (
        <CreateKey
          agents={agents}
          owner={address.get("agent")}
          onClosed={() => address.filter({ create: "" }, { replace: true })}
        />
      )}
      {dialog}
    </Page>
  );
}

const Name = ({ apiKey }: { apiKey: KeyFragment }) => (
  <div className={styles.name}>
    <RowLink href={addressOf(apiKey.id)}>{apiKey.name}</RowLink>
    <p className={pageStyles.second}>
      <Copyable>
        <code>{apiKey.hint}</code>
      </Copyable>
    </p>
  </div>
);

/** The tag of a key that is rejected but still in use somewhere. */
const RejectedTag = ({ use }: { use: KeysToWatchQuery["refused"][number] | undefined }) =>
  use && (
    <Tag tone="bad">
      {use.lastRefusal === "address" ? "Used from a network that is not allowed" : "Still in use"}
    </Tag>
  );

/** Keys that need attention because they expire soon, are rejected or use deprecated API features. */
function Watch({ watch }: { watch: KeysToWatchQuery }) {
  const address = useListAddress();
  const { totalCount: count, isTotalCountExact } = watch.expiring;
  const refused = watch.refused.length;
  const { keyCount: outdated, nodes: latest } = watch.deprecatedUse;
  if (count + refused + outdated === 0) return null;
  return (
    <ul className={styles.watch} aria-label="Needs attention">
      {count > 0 && address.get("state") !== "expiring" && (
        <li>
          {formatCount(count, isTotalCountExact)} {count === 1 ? "key expires" : "keys expire"} within{" "}
          {EXPIRING_DAYS} days.{" "}
          <Link href="/api-keys?state=expiring">Show {count === 1 ? "it" : "them"}</Link>
        </li>
      )}
      {refused > 0 && (
        <li>
          {formatNumber(refused)} {refused === 1 ? "key was" : "keys were"} rejected in the last 24 hours.{" "}
          <Link href="/">Show {refused === 1 ? "it" : "them"}</Link>
        </li>
      )}
      {outdated > 0 && (
        <li>
          {formatNumber(outdated)} {outdated === 1 ? "key uses" : "keys use"} deprecated features, most
          recently{" "}
          {latest.map(({ apiKey: { id, name } }) => (
            <Link key={id} href={addressOf(id)}>
              {name}
            </Link>
          ))}
          .
        </li>
      )}
    </ul>
  );
}
