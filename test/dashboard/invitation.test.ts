import { invite, TEST_PASSWORD } from "../support/people";
import { hasFocus } from "./focus";
import { describeDashboard, eventually, seen } from "./visit";

describeDashboard("the link of an invitation", (dashboard) => {
  const invited = async () => {
    const { link, invitation } = await invite(dashboard.gateway);
    const { pathname, hash } = new URL(link);
    return { path: `${pathname.replace("/dashboard", "")}${hash}`, email: invitation.email };
  };

  test("leads to a page where a person chooses a password, and is then signed in", async () => {
    const { path, email } = await invited();
    const requests: string[] = [];
    const page = await dashboard.visit("", { as: null });
    page.on("request", (request) => requests.push(request.url(), JSON.stringify(request.headers())));
    await page.goto(`${dashboard.gateway.url}/dashboard${path}`);
    await seen(page.getByRole("heading", { name: "Join " }));
    await seen(page.getByText(email, { exact: true }));
    await eventually(() => page.getByRole("note").count()).toBe(0);
    await hasFocus(page.getByLabel("Password", { exact: true }));
    await page.keyboard.type(TEST_PASSWORD);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name: "Overview" }));
    await eventually(() => page.url()).toBe(`${dashboard.gateway.url}/dashboard/`);
    expect(requests.join()).not.toContain("agi_");
    await page.goBack().catch(() => undefined);
    await eventually(() => page.url()).not.toContain("agi_");
    await page.goto(`${dashboard.gateway.url}/dashboard/settings/members`);
    await seen(page.getByRole("row").filter({ hasText: email }));
  });
});
