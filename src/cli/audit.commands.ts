import { type Command, Option } from "commander";
import { operatorFor } from "../auth/context";
import { AuditLogArgs } from "../features/audit/audit.inputs";
import { AuditAction } from "../features/audit/audit-actions";
import type { AuditChange } from "../features/audit/audit-change";
import type { AuditEntry } from "../features/audit/audit-entry.entity";
import { printJson, printTable } from "./output";
import { addPageOptions, listPages, type PageOptions } from "./pages";
import { withServices } from "./services";
import { parseTime } from "./time";

interface Options extends PageOptions {
  org: string;
  action?: AuditAction;
  actor?: string;
  target?: string;
  since?: Date;
  until?: Date;
  json?: boolean;
}

export const description = "Audit logs";

/** Adds the commands of `gateway audit`. */
export function add(audit: Command): void {
  addPageOptions(audit.command("list"))
    .description("show an organization's audit log, newest first")
    .requiredOption("--org <slug>", "slug of the organization")
    .addOption(
      new Option("--action <action>", "only entries with this action").choices(Object.values(AuditAction)),
    )
    .option("--actor <id>", "only actions by the member or key with this ID")
    .option("--target <id>", "only actions on the key, member, agent or organization with this ID")
    .option(
      "--since <time>",
      "only entries at or after this time, or since a duration such as 7d ago",
      parseTime,
    )
    .option("--until <time>", "only entries before this time, or before a duration such as 7d ago", parseTime)
    .option("--json", "print one JSON array")
    .action(({ org, actor, target, json, limit, after, all, ...filters }: Options) =>
      withServices(async (services) => {
        const context = operatorFor(await services.organizations.bySlug(org));
        const args = { actorId: actor, targetId: target, ...filters };
        await listPages(
          { limit, after, all },
          (page) => services.audit.list(context, Object.assign(new AuditLogArgs(), args, page)),
          (entries) => {
            if (json) printJson(entries.map(({ organizationId: _, countedAs: __, ...entry }) => entry));
            else printTable(entries.map(toRow), "No matching entries.");
          },
        );
      }),
    );
}

const toRow = ({ changes, detail, ...entry }: AuditEntry) => ({
  at: entry.createdAt,
  action: entry.action,
  actor: entry.actorName,
  target: entry.targetName,
  hint: entry.targetHint,
  changes: changes.map(formatChange).join("; ") || detail,
  count: entry.count,
  ip: entry.ip,
  targetId: entry.targetId,
});

const formatChange = ({ field, before, after }: AuditChange) =>
  before === null ? `${field}: ${after}` : `${field}: ${before} -> ${after ?? "(none)"}`;
