import { addMember, openSession } from "../support/people";
import { slowTest } from "../support/slow-test";
import { hasFocus } from "./focus";
import { beforeNews, describeDashboard, eventually, gone, seen, seenInTime } from "./visit";

describeDashboard("signing in to the dashboard", (dashboard) => {
  const owner = () => dashboard.gateway.ownerCredentials;

  test("a visit without a session makes no request that fails", async () => {
    const page = await dashboard.visit("/nowhere", { as: null });
    const failed: string[] = [];
    page.on("response", (answer) => {
      if (!answer.ok()) failed.push(`${answer.status()} ${answer.url()}`);
    });
    await page.goto(`${dashboard.gateway.url}/dashboard`);
    await seen(page.getByLabel("E-mail"));
    await page.waitForLoadState("networkidle");
    expect(failed).toEqual([]);
  });

  slowTest("leads to the requested page with only the keyboard", async () => {
    const page = await dashboard.visit("/settings/audit-log?action=api_key_created", { as: null });
    await seen(page.getByRole("heading", { name: "Sign in" }));
    await hasFocus(page.getByLabel("E-mail"));
    await page.keyboard.type(owner().email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(owner().password);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name: "Audit log" }));
    await eventually(() => page.url()).toBe(
      `${dashboard.gateway.url}/dashboard/settings/audit-log?action=api_key_created`,
    );
    await eventually(() => page.title()).toBe("Audit log · Gateway");
    await eventually(() => page.getByLabel("Action").inputValue()).toBe("api_key_created");
  });

  slowTest("asks only for the password after a session has ended, and keeps the typed text", async () => {
    const member = await addMember(dashboard.gateway, { manage: true });
    const page = await dashboard.visit("/api-keys?create=yes", { as: member });
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("half a name");
    const everywhere = "mutation { signOutEverywhere { endedSessions } }";
    await dashboard.gateway.graphql(everywhere, {}, { token: await openSession(dashboard.gateway, member) });
    await seenInTime(page.getByRole("heading", { name: "Sign in" }));
    await eventually(() => page.getByLabel("E-mail").inputValue()).toBe(member.email);
    await page.getByLabel("Password", { exact: true }).fill(member.password);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("dialog"));
    await eventually(() => page.getByRole("textbox", { name: "Name", exact: true }).inputValue()).toBe(
      "half a name",
    );
  });

  slowTest("with a wrong password shows one message and can be retried immediately", async () => {
    const page = await dashboard.visit("", { as: null });
    await page.getByLabel("E-mail").fill(owner().email);
    await page.getByLabel("Password", { exact: true }).fill("not this one");
    await page.keyboard.press("Enter");
    await seen(page.getByRole("alert"));
    await eventually(() => page.getByText("Incorrect e-mail or password.").count()).toBe(1);
    // The wrong password is selected, so typing replaces it.
    await page.keyboard.type(owner().password);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name: "Overview" }));
  });

  slowTest("says that the browser did not keep the session", async () => {
    const page = await dashboard.visit("", { as: null });
    await page.route("**/graphql", async (route) => {
      const response = await route.fetch();
      await page.context().clearCookies();
      const { "set-cookie": _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.getByLabel("E-mail").fill(owner().email);
    await page.getByLabel("Password", { exact: true }).fill(owner().password);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("alert").getByText("This browser did not keep the session."));
    await page.unrouteAll({ behavior: "wait" });
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name: "Overview" }));
  });

  slowTest("says how long to wait after too many wrong passwords", async () => {
    const { email } = await addMember(dashboard.gateway);
    const wrong = { email, password: "not this one" };
    for (let code = ""; code !== "too_many_attempts"; ) {
      const { body } = await dashboard.gateway.graphql(
        "mutation ($input: SignInInput!) { signIn(input: $input) { token } }",
        { input: wrong },
      );
      code = body.errors[0].extensions.code;
    }
    const page = await dashboard.visit("", { as: null });
    await page.getByLabel("E-mail").fill(wrong.email);
    await page.getByLabel("Password", { exact: true }).fill(wrong.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await seen(page.getByRole("alert").getByText(/Too many attempts\. Try again in \d+ minutes\./));
  });

  test("keeps the session out of reach of page scripts", async () => {
    const page = await dashboard.visit("", { as: null });
    await page.getByLabel("E-mail").fill(owner().email);
    await page.getByLabel("Password", { exact: true }).fill(owner().password);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name: "Overview" }));
    const [cookie] = await page.context().cookies(`${dashboard.gateway.url}/graphql`);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    const readable = await page.evaluate(() =>
      JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href]),
    );
    expect(readable).not.toContain(cookie?.value);
    expect(await page.content()).not.toContain(cookie?.value);
  });

  slowTest("says on any page that the session ended, and leads back there", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway, { manage: true });
    const page = await dashboard.visit("/api-keys?state=active", { as: member });
    await seen(page.getByRole("table", { name: "API keys" }));
    await gateway.graphql("mutation { signOutEverywhere { endedSessions } }", {}, { token: member.token });
    await seenInTime(page.getByText("Your session has expired. Sign in to continue."));
    await eventually(() => page.getByText("First key").count()).toBe(0);
    await page.getByLabel("E-mail").fill(member.email);
    await page.getByLabel("Password", { exact: true }).fill(member.password);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("table", { name: "API keys" }));
    await eventually(() => page.url()).toContain("/api-keys?state=active");
  });

  slowTest("also says so when a change comes too late", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway, { manage: true });
    const page = await dashboard.visit("/api-keys?create=yes", { as: member });
    await page.getByRole("dialog").getByLabel("Name").fill("too late");
    const everywhere = "mutation { signOutEverywhere { endedSessions } }";
    await beforeNews(
      page,
      () => gateway.graphql(everywhere, {}, { token: member.token }),
      () => page.getByRole("dialog").getByRole("button", { name: "Create API key" }).click(),
    );
    await seen(page.getByText("Your session has expired."));
  });

  slowTest("and signing out clears all content in every tab", async () => {
    const member = await addMember(dashboard.gateway);
    const page = await dashboard.visit("/settings/organization", { as: member });
    const other = await page.context().newPage();
    await other.goto(`${dashboard.gateway.url}/dashboard`);
    await seen(other.getByRole("heading", { name: "Overview" }));
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    for (const tab of [page, other]) {
      await seen(tab.getByRole("heading", { name: "Sign in" }));
      await gone(tab.getByText(member.email));
    }
    await eventually(() => page.getByText("Your session has expired").count()).toBe(0);
    await page.reload();
    await seen(page.getByRole("heading", { name: "Sign in" }));
  });

  slowTest("and signing out on all devices ends the other sessions", async () => {
    const member = await addMember(dashboard.gateway);
    const page = await dashboard.visit("/settings/profile", { as: member });
    const elsewhere = await dashboard.visit("", { as: member });
    await seen(elsewhere.getByRole("heading", { name: "Overview" }));
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await seen(page.getByRole("heading", { name: "Sign in" }));
    await seenInTime(elsewhere.getByText("Your session has expired."));
  });
});
