import type { Origin } from "../../auth/caller";
import type { ApiKey } from "./api-key.entity";

/** The properties of a key needed to record its rejected uses. */
export type KnownKey = Pick<ApiKey, "id" | "hint" | "name" | "organizationId">;

/** Records key usage outside the request path. */
export interface KeyUsageRecorder {
  accepted(keyId: string, origin: Origin): void;
  /** Records a rejected use; `isElsewhere` is true for a valid key that is not allowed from this address. */
  rejected(key: KnownKey, origin: Origin, options?: { isElsewhere?: boolean }): void;
}
