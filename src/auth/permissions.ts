import { DeclaredEnum, enumOf } from "../common/declared-enum";

export const Permission = enumOf(
  "Permission",
  "Permissions of a member in the organization, beyond viewing agents and members.",
  {
    "config:manage": "Manage API keys, members and the organization, and read the audit log.",
    "conversations:read": "Read the conversations of the agents.",
    "conversations:write": "Write in conversations and manage contacts.",
  },
);
export type Permission = (typeof Permission)[keyof typeof Permission];

/** All permissions, in display order. */
export const PERMISSIONS: readonly Permission[] = Object.values(Permission);

/** The scopes of API keys. Each feature adds its own names, so that they are type-checked. */
// biome-ignore lint/suspicious/noEmptyInterface: features extend it
export interface Scopes {}

/** A permission of an API key, such as `pets:read`. */
export type Scope = keyof Scopes;

const declaredScopes = new DeclaredEnum<Scope>("Scope", "Scope of an API key.");

/** The declared scopes as an enum. */
export const Scope = declaredScopes.values;

const scopes: Scope[] = [];

/** All scopes, in the order of the features that declare them; complete once `features.ts` is loaded. */
export const SCOPES: readonly Scope[] = scopes;

/**
 * Declares the scopes of a feature.
 * @param declared a sentence describing what each scope allows, by name
 * @throws Error if a name is taken
 */
export function declareScopes(declared: Readonly<Record<string, string>>): void {
  for (const [name, allows] of Object.entries(declared)) {
    const scope = name as Scope;
    declaredScopes.add(scope, allows);
    scopes.push(scope);
  }
}
