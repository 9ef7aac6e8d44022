import { Permission } from "../../auth/permissions";

/** Who may read the lines of an agent. */
export const MAY_READ_LINES = { key: "agent:read", member: Permission.config_manage } as const;

/** Who may read the decisions of an agent. */
export const MAY_READ_DECISIONS = { key: "agent:read", member: Permission.conversations_read } as const;
