import type { MigrationInterface } from "typeorm";
import { Initial1763700000000 } from "./migrations/1763700000000-initial";
import { AuditFilters1763900000000 } from "./migrations/1763900000000-audit-filters";
import { KeyScopes1764000000000 } from "./migrations/1764000000000-key-scopes";
import { AuditChanges1764100000000 } from "./migrations/1764100000000-audit-changes";

/** All migrations, oldest first. */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  Initial1763700000000,
  AuditFilters1763900000000,
  KeyScopes1764000000000,
  AuditChanges1764100000000,
];
