import type { Origin } from "../../auth/caller";
import type { ApiKey } from "./api-key.entity";

/** What of a key its usage names. */
export type KnownKey = Pick<ApiKey, "id" | "hint" | "name" | "organizationId">;

/** Records the uses of keys, off the path of requests. */
export interface KeyUsageRecorder {
  /** A key was accepted. */
  accepted(keyId: string, origin: Origin): void;
  /** A key that exists was refused. */
  refused(key: KnownKey, origin: Origin): void;
}
