import { HookRegistry } from "../../src/schema/hooks";

const guard = { columns: "", isKnown: () => true, check: async () => undefined };

test("exactly one feature must implement a hook that only one can", () => {
  const hooks = new HookRegistry();
  expect(() => hooks.the("restoreGuard")).toThrow("One feature must implement restoreGuard.");
  hooks.add({ restoreGuard: guard });
  expect(hooks.the("restoreGuard")).toBe(guard);
  hooks.add({ restoreGuard: guard });
  expect(() => hooks.the("restoreGuard")).toThrow("One feature must implement restoreGuard.");
});
