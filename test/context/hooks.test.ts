import { attention } from "../../src/features/attention/attention.feature";
import { restores } from "../../src/features/restores/restores.feature";
import { addServices } from "../../src/schema/feature";
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

test("a feature that needs a service of a later feature is an error that names the service", () => {
  const core = () => ({ database: { listen: () => undefined }, log: {} });
  expect(() => addServices(core(), [attention, restores])).toThrow('needs the service "restores"');
  const services = core();
  addServices(services, [restores, attention]);
  expect(Object.keys(services)).toEqual(["database", "log", "restores", "attention"]);
});
