import { Permission } from "../../auth/permissions";

export const MAY_READ_CONTACTS = { key: "contacts:read", member: Permission.conversations_read } as const;
