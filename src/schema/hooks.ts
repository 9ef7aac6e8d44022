import type { ReplacementStep } from "../instance-key/instance-key.service";

/** The hooks that features can implement, by name. The feature that calls a hook adds its type here. */
export interface Hooks {
  /** Adapts rows when the instance key is replaced. */
  instanceKeyReplaced: ReplacementStep;
}

/** The hooks that a feature implements. */
export type HookImplementations = { [Name in keyof Hooks]?: Hooks[Name] | readonly Hooks[Name][] };

/** The hooks of all features, in the order of the features; complete once all services are made. */
export class HookRegistry {
  private readonly all = new Map<string, unknown[]>();

  /** Adds the hooks of a feature. */
  add(implementations: HookImplementations): void {
    for (const [name, hooks] of Object.entries(implementations))
      this.all.set(name, [...this.of(name as keyof Hooks), ...[hooks].flat()]);
  }

  /** Returns the implementations of a hook. */
  of<Name extends keyof Hooks>(name: Name): readonly Hooks[Name][] {
    return (this.all.get(name) ?? []) as Hooks[Name][];
  }
}
