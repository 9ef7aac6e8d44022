import { Permission } from "../../auth/permissions";

export const MAY_READ_CONVERSATIONS = {
  key: "conversations:read",
  member: Permission.conversations_read,
} as const;
