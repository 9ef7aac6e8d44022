import type { Command } from "commander";
import type { AuditChange } from "../features/audit/audit-change";
import type { AuditEntry } from "../features/audit/audit-entry.entity";
import { withRun } from "./connect";
import { addOrganizationOption } from "./lookups";
import { printRows } from "./output";
import { addPageOptions, listPages, type PageOptions, pagesOf } from "./pages";
import { parseTime } from "./values";

const PARAMETERS = "action: AuditAction, actorId: ID, targetId: ID, since: DateTimeISO, until: DateTimeISO";
const ENTRY =
  "id createdAt action actorKind actorId actorName targetId targetName targetHint changes { field before after } detail count ip userAgent requestId";

interface Options extends PageOptions {
  org?: string;
  action?: string;
  actor?: string;
  target?: string;
  since?: Date;
  until?: Date;
  json?: boolean;
}

export const description = "Audit logs";

export function add(audit: Command): void {
  addPageOptions(addOrganizationOption(audit.command("list")))
    .description("show an organization's audit log, newest first")
    .option("--action <action>", "only entries with this action, such as api_key_created")
    .option("--actor <id>", "only actions by the member or key with this ID")
    .option("--target <id>", "only actions on the key, member, agent or organization with this ID")
    .option("--since <time>", "only entries at or after this time; 7d means a week ago", parseTime)
    .option("--until <time>", "only entries before this time; 7d means a week ago", parseTime)
    .option("--json", "print one JSON array")
    .action(({ org, actor: actorId, target: targetId, json, limit, after, all, ...filters }: Options) =>
      withRun({ org }, (run) =>
        listPages(
          { limit, after, all },
          pagesOf<AuditEntry>(run, "auditLog", PARAMETERS, ENTRY, { actorId, targetId, ...filters }),
          (entries) =>
            printRows(
              json,
              entries,
              "at=createdAt action actor=actorName target=targetName hint=targetHint changes count ip targetId",
              "No matching entries.",
              toRow,
            ),
        ),
      ),
    );
}

const toRow = (entry: AuditEntry) => ({
  ...entry,
  changes: entry.changes.map(formatChange).join("; ") || entry.detail,
});

const formatChange = ({ field, before, after }: AuditChange) =>
  before === null ? `${field}: ${after}` : `${field}: ${before} -> ${after ?? "(none)"}`;
