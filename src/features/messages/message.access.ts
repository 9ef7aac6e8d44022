import { Permission } from "../../auth/permissions";

export const MAY_READ_MESSAGES = { key: "messages:read", member: Permission.conversations_read } as const;
