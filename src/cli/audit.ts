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

/** @throws InvalidArgumentError in commander's words */
function moment(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(+date)) throw new InvalidArgumentError("It must be a time such as 2026-11-21T08:00:00Z.");
  return date;
}

/** `gateway audit …` */
export function addAuditCommands(audit: Command): void {
  audit
    .command("list")
    .description(`show the latest ${MAX_PAGE} entries of an organization's audit log, newest first`)
    .requiredOption("--org <slug>", "the organization")
    .addOption(new Option("--action <action>", "only this action").choices(Object.values(AuditAction)))
    .option("--actor <id>", "only what the member or key with this id did")
    .option("--target <id>", "only what was done to the key, member, agent or organization with this id")
    .option("--since <time>", "only from this time on", moment)
    .option("--until <time>", "only before this time", moment)
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
        else printTable(nodes.map(inWords), "There are no such entries.");
      }),
    );
}

const inWords = ({ changes, detail, ...entry }: AuditEntry) => ({
  at: entry.createdAt,
  action: entry.action,
  actor: entry.actorName,
  target: entry.targetName,
  hint: entry.targetHint,
  changes: changes.map(changeInWords).join("; ") || detail,
  count: entry.count,
  ip: entry.ip,
  targetId: entry.targetId,
});

const changeInWords = ({ field, before, after }: AuditChange) =>
  before === null ? `${field}: ${after}` : `${field}: ${before} -> ${after ?? "(none)"}`;
