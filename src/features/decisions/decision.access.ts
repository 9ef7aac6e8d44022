import { Permission } from "../../auth/permissions";

export const DECIDE = { key: "agent:decide", member: Permission.config_manage } as const;
