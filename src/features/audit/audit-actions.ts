import { DeclaredEnum } from "../../common/declared-enum";

declare const DECLARED: unique symbol;

/** An action declared with `auditActions`. */
export type AuditAction = string & { readonly [DECLARED]: true };

const declared = new DeclaredEnum<AuditAction>("AuditAction", "An audited action.");

/** The declared actions as an enum. */
export const AuditAction = declared.values;

/** Length of the `action` column. */
const NAME_MAX_LENGTH = 40;

/**
 * Declares a feature's audit actions. Call once at module scope.
 * @param descriptions descriptions for the GraphQL schema, by action name
 * @returns the actions by name
 * @throws Error if a name is taken or too long
 */
export function auditActions<const Name extends string>(
  descriptions: Readonly<Record<Name, string>>,
): Readonly<Record<Name, AuditAction>> {
  for (const [name, description] of Object.entries<string>(descriptions)) {
    if (name.length > NAME_MAX_LENGTH) throw new Error(`The name of the audit action ${name} is too long.`);
    declared.add(name as AuditAction, description);
  }
  return AuditAction as Record<Name, AuditAction>;
}
