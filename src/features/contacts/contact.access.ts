import { Permission } from "../../auth/permissions";

/** The scope or permission needed to read contacts. */
export const MAY_READ_CONTACTS = { key: "contacts:read", member: Permission.conversations_read } as const;
