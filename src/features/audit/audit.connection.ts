import { isUuid } from "../../common/uuid";
import { ConnectionOf } from "../../pagination/connection";
import { AuditEntry } from "./audit-entry.entity";

export const AuditEntryConnection = ConnectionOf(AuditEntry, "audit", isUuid);
export type AuditEntryConnection = InstanceType<typeof AuditEntryConnection>;
