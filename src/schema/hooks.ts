import type { KeyCaller, MemberCaller } from "../auth/caller";
import type { CountOperation, CredentialResolver, RequestContext } from "../auth/context";
import type { RestoreGuard } from "../delivery/deliverer";
import type { ReplacementStep } from "../instance-key/instance-key.service";
import type { CountDeprecated } from "./deprecation";

/** The hooks that features can implement, by name. A feature that calls a hook adds the hook's type here. */
export interface Hooks {
  /** Adapts a feature's rows when the instance key is replaced. */
  instanceKeyReplaced: ReplacementStep;
  /** Authenticates API keys; implemented by exactly one feature. */
  apiKeys: CredentialResolver<KeyCaller>;
  /** Authenticates the API keys and access tokens at `/mcp`; only if the server issues access tokens. */
  mcpTokens: CredentialResolver<KeyCaller>;
  /** Authenticates session tokens; implemented by exactly one feature. */
  sessions: CredentialResolver<MemberCaller>;
  /** Checks a POST to `/graphql` that has no credential, before its body is parsed; may throw. */
  anonymousPost: (context: RequestContext) => void;
  /** Counts uses of deprecated parts of the APIs; implemented by exactly one feature. */
  deprecatedUsed: CountDeprecated;
  /** Counts the authenticated requests with API keys; implemented by exactly one feature. */
  operationEnded: CountOperation;
  /** Prevents deliveries from a restored copy of the database; implemented by exactly one feature. */
  restoreGuard: RestoreGuard;
  /** Returns additional members for the `/readyz` response. */
  readiness: () => Promise<Readonly<Record<string, unknown>>>;
}

export type HookImplementations = { [Name in keyof Hooks]?: Hooks[Name] | readonly Hooks[Name][] };

/** The hooks of all features, in feature order; complete once all services are created. */
export class HookRegistry {
  private readonly all = new Map<string, unknown[]>();

  add(implementations: HookImplementations): void {
    for (const [name, hooks] of Object.entries(implementations))
      this.all.set(name, [...this.of(name as keyof Hooks), ...[hooks].flat()]);
  }

  of<Name extends keyof Hooks>(name: Name): readonly Hooks[Name][] {
    return (this.all.get(name) ?? []) as Hooks[Name][];
  }

  /** Returns the only implementation of a hook, or throws an Error. */
  the<Name extends keyof Hooks>(name: Name): Hooks[Name] {
    const [only, ...others] = this.of(name);
    if (only === undefined || others.length > 0) throw new Error(`One feature must implement ${name}.`);
    return only;
  }
}
