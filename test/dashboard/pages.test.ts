import { fits, violations } from "./axe";
import { type Filled, fill, VIEWS } from "./views";
import { describeDashboard, eventually, seen } from "./visit";

/** One view of each kind of page; `accessibility.full.test.ts` checks the others. */
const KINDS = {
  form: "sign-in",
  figures: "overview 30 days",
  "list with a filter": "audit-log",
  dialog: "api-keys create",
  detail: "api-key",
  thread: "conversation",
  editor: "configuration with problems",
  report: "configuration publish",
};

describeDashboard("of each kind of page,", (dashboard) => {
  let filled: Filled;
  beforeAll(async () => {
    filled = await fill(dashboard.gateway);
  });

  test.each(Object.entries(KINDS))("a %s (%s) passes axe and fits its window", async (_, name) => {
    const { path, as, open } = VIEWS[name] ?? { path: "/nowhere" };
    const page = await dashboard.visit(typeof path === "string" ? path : path(filled.inbox), {
      ...(as !== undefined && { as: as && filled.people[as] }),
    });
    await seen(page.getByRole("heading", { level: 1 }));
    await open?.(page, dashboard.gateway);
    await eventually(() => violations(page)).toEqual([]);
    await eventually(() => fits(page)).toBe(true);
  });
});
