import { addMember, addOrganization, invite, TEST_PASSWORD } from "../support/people";
import { describeDashboard, eventually, gone, seen } from "./visit";

describeDashboard("the link of an invitation", (dashboard) => {
  const invited = async () => {
    const { link, invitation } = await invite(dashboard.gateway);
    const { pathname, hash } = new URL(link);
    return { path: `${pathname.replace("/dashboard", "")}${hash}`, email: invitation.email };
  };

  test("says that it was used, and leads to the sign-in", async () => {
    const { path } = await invited();
    await dashboard.gateway.graphql(
      "mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { expiresAt } }",
      { input: { token: path.split("#")[1], password: TEST_PASSWORD } },
      { token: null },
    );
    const page = await dashboard.visit(path, { as: null });
    await seen(page.getByRole("alert").getByText("The invitation was used, withdrawn or replaced"));
    await eventually(() => page.getByLabel("Password", { exact: true }).count()).toBe(0);
    await page.getByRole("link", { name: "Sign in" }).click();
    await seen(page.getByRole("heading", { name: "Sign in" }));
  });

  test("says who is signed in, and keeps their session until they sign out or join", async () => {
    const member = await addMember(dashboard.gateway);
    const { path } = await invited();
    const page = await dashboard.visit("/settings/organization", { as: member });
    const tab = await page.context().newPage();
    await tab.goto(`${dashboard.gateway.url}/dashboard${path}`);
    await seen(tab.getByRole("note").getByText(member.email));
    await seen(tab.getByLabel("Password", { exact: true }));
    await page.reload();
    await seen(page.getByRole("link", { name: member.email }));
    await tab.getByRole("button", { name: "Sign out first" }).click();
    await gone(tab.getByRole("note"));
    await seen(page.getByRole("heading", { name: "Sign in" }));
  });

  test("works for a signed-in member, whose session stays until the acceptance", async () => {
    const member = await addMember(dashboard.gateway);
    const { path, email } = await invited();
    const page = await dashboard.visit("/settings/organization", { as: member });
    const tab = await page.context().newPage();
    await tab.goto(`${dashboard.gateway.url}/dashboard${path}`);
    await seen(tab.getByLabel("Password", { exact: true }));
    await page.reload();
    await seen(page.getByRole("banner").or(page.locator("body")).getByText(member.email));
    await tab.getByLabel("Password", { exact: true }).fill(TEST_PASSWORD);
    await tab.getByRole("button", { name: "Join" }).click();
    await seen(tab.getByRole("heading", { name: "Overview" }));
    // The other tab also shows the new member.
    await seen(page.getByRole("navigation").getByText(email).or(page.getByText(email)));
  });

  test("another tab shows nothing of the previous member after a new member joins", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "left-behind");
    const { path, email } = await invited();
    const page = await dashboard.visit("", { as: manager });
    const figures = page.getByRole("main").locator("dl");
    await seen(figures.getByText("Requests", { exact: true }));
    const tab = await page.context().newPage();
    await tab.goto(`${dashboard.gateway.url}/dashboard${path}`);
    await tab.getByLabel("Password", { exact: true }).fill(TEST_PASSWORD);
    await tab.getByRole("button", { name: "Join" }).click();
    await seen(page.getByText(email));
    await seen(page.getByRole("region", { name: "Get started" }));
    await eventually(() => figures.count()).toBe(0);
    await eventually(() => page.getByText("left-behind").count()).toBe(0);
  });
});
