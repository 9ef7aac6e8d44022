import { registerEnumType } from "type-graphql";

declare const DECLARED: unique symbol;

/** An action declared with `auditActions`. */
export type AuditAction = string & { readonly [DECLARED]: true };

/** The declared actions as an enum, which TypeGraphQL reads when it builds the schema. */
export const AuditAction: Record<string, AuditAction> = {};

const valuesConfig: Record<string, { description: string }> = {};

registerEnumType(AuditAction, {
  name: "AuditAction",
  description: "A kind of audited action.",
  valuesConfig,
});

/** Length of the column. */
const NAME_MAX_LENGTH = 40;

/**
 * Declares the audit actions of a feature. Call once at module scope.
 * @param descriptions descriptions for the GraphQL schema, by action name
 * @returns the actions by name
 * @throws Error if a name is taken or too long
 */
export function auditActions<const Name extends string>(
  descriptions: Readonly<Record<Name, string>>,
): Readonly<Record<Name, AuditAction>> {
  for (const [name, description] of Object.entries<string>(descriptions)) {
    if (Object.hasOwn(AuditAction, name)) throw new Error(`The audit action ${name} is declared twice.`);
    if (name.length > NAME_MAX_LENGTH) throw new Error(`The name of the audit action ${name} is too long.`);
    AuditAction[name] = name as AuditAction;
    valuesConfig[name] = { description };
  }
  return AuditAction as Record<Name, AuditAction>;
}
