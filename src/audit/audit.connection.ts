import { ConnectionOf } from "../graphql/connection";
import { isUuid } from "../validation/uuid";
import { AuditEntry } from "./audit-entry.entity";

export const AuditEntryConnection = ConnectionOf(AuditEntry, "audit", isUuid);
export type AuditEntryConnection = InstanceType<typeof AuditEntryConnection>;
