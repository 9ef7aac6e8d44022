import { Permission } from "../../auth/permissions";

/** The scope or permission needed to read messages. */
export const MAY_READ_MESSAGES = { key: "messages:read", member: Permission.conversations_read } as const;
