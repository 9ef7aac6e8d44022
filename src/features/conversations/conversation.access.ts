import { Permission } from "../../auth/permissions";

/** The scope or permission needed to read conversations. */
export const MAY_READ_CONVERSATIONS = {
  key: "conversations:read",
  member: Permission.conversations_read,
} as const;
