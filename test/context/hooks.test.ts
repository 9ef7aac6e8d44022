import { HookRegistry } from "../../src/schema/hooks";

const guard = { columns: "", isKnown: () => true, check: async () => undefined };

test("what one feature has to do is done by exactly one", () => {
  const hooks = new HookRegistry();
  expect(() => hooks.the("restoreGuard")).toThrow("One feature must implement restoreGuard.");
  hooks.add({ restoreGuard: guard });
  expect(hooks.the("restoreGuard")).toBe(guard);
  hooks.add({ restoreGuard: guard });
  expect(() => hooks.the("restoreGuard")).toThrow("One feature must implement restoreGuard.");
});
