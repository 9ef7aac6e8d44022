import { timestamp } from "../../src/common/time";
import { Session } from "../../src/features/members/session.entity";
import { addMember, openSession, TEST_PASSWORD } from "../support/people";
import { looksRight } from "./looks";
import { describeDashboard, dialogOf, eventually, follow, gone, rowOf, seen } from "./visit";

describeDashboard("the profile", (dashboard) => {
  test("changes the name, which colleagues see beside the e-mail", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway, { email: "named@example.com" });
    const page = await dashboard.visit("/settings/profile", { as: member });
    const dialog = dialogOf(page);
    await page.getByRole("button", { name: "Change name…" }).click();
    await dialog.getByLabel("Name").fill("owner@example.com");
    await page.keyboard.press("Enter");
    await seen(dialog.locator("[id$=error]").getByText("Name must not contain an @."));
    await dialog.getByLabel("Name").fill("שרה כהן");
    await page.keyboard.press("Enter");
    await gone(dialog);
    await seen(page.getByRole("link", { name: "שרה כהן" }));
    const colleague = await dashboard.visit("/settings/members");
    await seen(rowOf(colleague, "named@example.com").getByText("שרה כהן"));
    await follow(colleague, "/audit-log");
    await seen(
      colleague
        .getByRole("list", { name: "Entries" })
        .getByText("\u2068שרה כהן\u2069 (named@example.com)")
        .first(),
    );
  });

  test("changes the e-mail, and the password, which needs the current one", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway, { email: "before@example.com" });
    // With the transitions, a closing dialog stays visible for a moment.
    const page = await dashboard.visit("", { as: member, reducedMotion: "no-preference" });
    const dialog = dialogOf(page);
    await page.getByRole("link", { name: "before@example.com" }).click();
    await page.getByRole("button", { name: "Change e-mail…" }).click();
    await dialog.getByLabel("New e-mail").fill("owner@example.com");
    await page.keyboard.press("Enter");
    await seen(dialog.locator("[id$=error]").getByText(/address/));
    await dialog.getByLabel("New e-mail").fill("after@example.com");
    await page.keyboard.press("Enter");
    await gone(dialog);
    await seen(page.getByRole("link", { name: "after@example.com" }));

    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.postData() ?? ""));
    await page.getByRole("button", { name: "Change password…" }).click();
    await dialog.getByLabel("Current password", { exact: true }).fill("not the password");
    await dialog.getByLabel("New password", { exact: true }).fill("another password for tests");
    await page.keyboard.down("Enter");
    await seen(dialog.getByText("The current password is wrong."));
    // The key is still held.
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await dialog.getByLabel("Current password", { exact: true }).fill(TEST_PASSWORD);
    // An impatient user presses the button until the dialog is gone.
    await dialog.getByRole("button", { name: "Change password" }).evaluate((button: HTMLButtonElement) => {
      const press = () => {
        if (!button.isConnected) return;
        button.click();
        requestAnimationFrame(press);
      };
      press();
    });
    await gone(dialog);
    expect(requests.flatMap((request) => /mutation (\w+)/.exec(request)?.[1] ?? [])).toEqual([
      "ConfirmSignIn",
      "ConfirmSignIn",
      "ChangePassword",
    ]);
    const credentials = { email: "after@example.com", password: "another password for tests" };
    expect(await openSession(gateway, credentials)).toEqual(expect.any(String));
  });

  test("asks for the password if the sign-in is not recent, and continues with the change", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway, { email: "stale@example.com" });
    const page = await dashboard.visit("/settings/profile", { as: member });
    await seen(page.getByRole("button", { name: "Change e-mail…" }));
    const makeStale = () =>
      gateway.services.database.write((tx) =>
        tx.update(
          Session,
          { memberId: member.id },
          { createdAt: timestamp(-16 * 60_000), confirmedAt: null },
        ),
      );
    await makeStale();
    await page.getByRole("button", { name: "Change e-mail…" }).click();
    await dialogOf(page).getByLabel("New e-mail").fill("fresh@example.com");
    await page.keyboard.press("Enter");
    const asking = page.getByRole("dialog", { name: "Confirm it’s you" });
    await asking.getByLabel("Password", { exact: true }).fill("not the password");
    await looksRight(page);
    await page.keyboard.press("Enter");
    await seen(asking.getByText("The current password is wrong."));
    await asking.getByRole("button", { name: "Cancel" }).click();
    await gone(asking);
    await seen(dialogOf(page).getByText("This operation requires a sign-in within the last 15 minutes."));
    await dialogOf(page).getByRole("button", { name: "Change e-mail" }).click();
    await asking.getByLabel("Password", { exact: true }).fill(TEST_PASSWORD);
    await page.keyboard.press("Enter");
    await gone(dialogOf(page));
    await seen(page.getByRole("link", { name: "fresh@example.com" }));

    await makeStale();
    await page.getByRole("button", { name: "Change password…" }).click();
    await dialogOf(page).getByLabel("Current password", { exact: true }).fill(TEST_PASSWORD);
    await dialogOf(page).getByLabel("New password", { exact: true }).fill("another password for tests");
    await page.keyboard.press("Enter");
    await gone(dialogOf(page));
  });

  test("lists the member's sessions, marks this one, and ends one or all of them", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway);
    const page = await dashboard.visit("/settings/profile", { as: member });
    const sessions = page.getByRole("region", { name: "Sessions" });
    const ends = sessions.getByRole("button", { name: /^End the session/ });
    await seen(sessions.getByText("This one"));
    await eventually(() => ends.count()).toBe(1);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.postData() ?? ""));
    await ends.dblclick();
    await gone(ends);
    expect(requests.filter((request) => request.includes("endSession("))).toHaveLength(1);
    expect(
      (await gateway.graphql("{ viewer { id } }", {}, { token: member.token })).body.errors[0].extensions
        .code,
    ).toBe("invalid_session");
    await sessions.getByRole("button", { name: "Sign out everywhere" }).click();
    await seen(page.getByRole("heading", { name: "Sign in" }));
  });
});
