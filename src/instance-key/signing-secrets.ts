import { DAY_MS, type Timestamp, timestamp } from "../common/time";
import type { InstanceKey } from "../credentials/instance-key";

/** A row with a signing secret. */
export interface Signing {
  id: string;
  secretGeneration: number;
  /** When the previous secret expires; null if no previous secret is valid. */
  previousSecretUntil: Timestamp | null;
}

/** Returns the current signing secret of a row. */
export const signingSecretOf = (
  { id, secretGeneration }: Pick<Signing, "id" | "secretGeneration">,
  key: InstanceKey,
): string => key.deriveSigningSecret(id, secretGeneration);

/** Returns a row's currently valid signing secrets, newest first. */
export function signingSecretsOf(row: Signing, key: InstanceKey): string[] {
  const current = signingSecretOf(row, key);
  return row.previousSecretUntil === null
    ? [current]
    : [current, key.deriveSigningSecret(row.id, row.secretGeneration - 1)];
}

/** Grace period during which requests are signed with both the new and the previous secret (ms). */
const PREVIOUS_SECRET_MS = DAY_MS;

/** Returns the change that gives a row a new signing secret, and its audit record. */
export const secretRotation = ({ secretGeneration: last }: Pick<Signing, "secretGeneration">) => ({
  change: { secretGeneration: last + 1, previousUntil: last === 0 ? null : timestamp(PREVIOUS_SECRET_MS) },
  audit: { secretGeneration: [String(last), String(last + 1)] as const },
});
