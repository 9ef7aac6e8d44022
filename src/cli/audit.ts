import { type Command, InvalidArgumentError, Option } from "commander";
import { operatorFor } from "../auth/context";
import { AuditLogArgs } from "../features/audit/audit.inputs";
import { AuditAction } from "../features/audit/audit-actions";
import type { AuditChange } from "../features/audit/audit-change";
import type { AuditEntry } from "../features/audit/audit-entry.entity";
import { MAX_PAGE } from "../pagination/connection";
import { printJson, printTable } from "./output";
import { withServices } from "./services";

interface Options {
  org: string;
  action?: AuditAction;
  actor?: string;
  target?: string;
  since?: Date;
  until?: Date;
  json?: boolean;
}

/**
 * Parses an option that is a time.
 * @throws InvalidArgumentError when the text is not a time
 */
function parseTime(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(+date)) throw new InvalidArgumentError("It must be a time such as 2026-11-21T08:00:00Z.");
  return date;
}

/** Adds the commands of `gateway audit`. */
export function addAuditCommands(audit: Command): void {
  audit
    .command("list")
    .description(`show the latest ${MAX_PAGE} entries of an organization's audit log, newest first`)
    .requiredOption("--org <slug>", "slug of the organization")
    .addOption(
      new Option("--action <action>", "only entries with this action").choices(Object.values(AuditAction)),
    )
    .option("--actor <id>", "only actions of the member or key with this ID")
    .option("--target <id>", "only actions on the key, member, agent or organization with this ID")
    .option("--since <time>", "only entries from this time on", parseTime)
    .option("--until <time>", "only entries before this time", parseTime)
    .option("--json", "print one JSON array")
    .action(({ org, actor, target, json, ...filters }: Options) =>
      withServices(async (services) => {
        const context = operatorFor(await services.organizations.bySlug(org));
        const args = Object.assign(new AuditLogArgs(), {
          first: MAX_PAGE,
          actorId: actor,
          targetId: target,
          ...filters,
        });
        const { nodes } = await services.audit.list(context, args);
        if (json) printJson(nodes.map(({ organizationId: _, countedAs: __, ...entry }) => entry));
        else printTable(nodes.map(toRow), "No matching entries.");
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
