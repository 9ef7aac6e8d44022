import type { Timestamp } from "../common/time";
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
