import { DeclaredEnum, enumOf } from "../common/declared-enum";
import { organizationScopes } from "./organization-scopes";

export const Permission = enumOf("Permission", "A member's permissions, beyond viewing agents and members.", {
  "config:manage": "Manage API keys, members and the organization, and read the audit log.",
  "conversations:read": "Read the agents' conversations.",
  "conversations:write": "Write in conversations and manage contacts.",
});
export type Permission = (typeof Permission)[keyof typeof Permission];

/** All permissions, in display order. */
export const PERMISSIONS: readonly Permission[] = Object.values(Permission);

/** The scopes of agent keys. Each feature adds its own names, so that they are type-checked. */
// biome-ignore lint/suspicious/noEmptyInterface: features extend it
export interface Scopes {}

/** A permission of an agent key, such as `pets:read`. */
export type Scope = keyof Scopes;

/** A permission of an organization key. Members need `config:manage` for most of what these scopes allow. */
export type OrganizationScope = keyof typeof organizationScopes;

/** A scope of an agent key or an organization key; no key has scopes of both kinds. */
export type KeyScope = Scope | OrganizationScope;

const declaredScopes = new DeclaredEnum<KeyScope>("Scope", "Scope of an agent key or an organization key.");

/** The declared scopes of agent keys and organization keys, as an enum. */
export const KeyScope = declaredScopes.values;

/** All scopes of organization keys. */
export const ORGANIZATION_SCOPES = Object.keys(organizationScopes) as readonly OrganizationScope[];
for (const scope of ORGANIZATION_SCOPES) declaredScopes.add(scope, organizationScopes[scope]);

const scopes: Scope[] = [];

/** All scopes of agent keys, in the order of the features that declare them; complete once `features.ts` is loaded. */
export const SCOPES: readonly Scope[] = scopes;

/** Declares the scopes that a feature requires, each with a sentence; throws an Error if a name is taken. */
export function declareScopes(declared: Readonly<Record<string, string>>): void {
  for (const [name, allows] of Object.entries(declared)) {
    const scope = name as Scope;
    declaredScopes.add(scope, allows);
    scopes.push(scope);
  }
}
