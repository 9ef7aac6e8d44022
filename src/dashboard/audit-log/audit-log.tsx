import { Button, Skeleton } from "@mantine/core";
import { useState } from "react";
import { usePolledQuery } from "../api/client";
import { useMembers } from "../members/use-members";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { type ListAddress, useCursorFallback, useListAddress } from "../ui/list-address";
import { Empty, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Pager } from "../ui/pager";
import { usePeriod } from "../ui/period";
import { AuditEntry } from "./audit-entry";
import { AuditFilters, FILTERS } from "./audit-filters";
import styles from "./audit-log.module.css";
import { AuditLogDocument } from "./documents.generated";
import type { AuditFilter } from "./export";
import { ExportButton } from "./export-button";
import { ACTION_LABELS, targetOf } from "./sentence";

const PAGE_SIZE = 50;

/** The audit log with its filters and the CSV export. */
export function AuditLog() {
  const address = useListAddress();
  const filter = useFilter(address);
  const { may } = useViewer();
  const [exportError, setExportError] = useState<unknown>();
  const names = useMembers();
  const query = usePolledQuery(
    AuditLogDocument,
    { ...filter, first: PAGE_SIZE, after: address.after, named: may("conversations_read"), counted: true },
    { pollMs: 15_000 },
  );
  const { data, error, refetch, isPlaceholderData } = query;
  const entries = data?.auditLog.nodes;
  useCursorFallback(query, entries?.length);

  return (
    <Page
      section="Settings"
      title="Audit log"
      summary="Activity in your organization."
      actions={<ExportButton filter={filter} onError={setExportError} />}
    >
      {exportError !== undefined && <Failure error={exportError} />}
      <div className={pageStyles.card}>
        <AuditFilters
          names={names}
          targetName={entries?.[0] && (targetOf(entries[0]) || entries[0].targetName)}
        />
        {error !== null && (entries === undefined || isPlaceholderData) ? (
          <Failure error={error} retry={refetch} />
        ) : entries?.length === 0 ? (
          <NoEntries address={address} />
        ) : (
          <ul className={styles.entries} data-stale={isPlaceholderData} aria-label="Entries">
            {entries?.map((entry) => <AuditEntry key={entry.id} entry={entry} labelOf={names.labelOf} />) ?? (
              <Loading />
            )}
          </ul>
        )}
        <Pager connection={data?.auditLog} stale={isPlaceholderData} pageSize={PAGE_SIZE} />
      </div>
    </Page>
  );
}

function useFilter(address: ListAddress): AuditFilter {
  const [period, from, to, , actor, target] = FILTERS.map(address.get);
  return {
    ...usePeriod(period ?? "", from, to),
    action: address.oneOf("action", ACTION_LABELS) || null,
    actorId: actor || null,
    targetId: target || null,
  };
}

const NoEntries = ({ address }: { address: ListAddress }) => (
  <Empty title={startsAfterEnd(address) ? "The start date is after the end date" : "No matching activity"}>
    <Button
      variant="default"
      size="xs"
      onClick={() => address.filter(Object.fromEntries(FILTERS.map((name) => [name, ""])))}
    >
      Clear filters
    </Button>
  </Empty>
);

const startsAfterEnd = (address: ListAddress): boolean => {
  const [from, to] = [address.get("from"), address.get("to")];
  return address.get("period") === "dates" && from !== "" && to !== "" && from > to;
};

const Loading = () =>
  Array.from({ length: 8 }, (_, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
    <li key={i} className={styles.entry}>
      <div className={styles.line}>
        <Skeleton height={14} width="60%" />
      </div>
    </li>
  ));
