import type { Page } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { timestamp } from "../../src/common/time";
import { Session } from "../../src/features/members/session.entity";
import { operator } from "../support/gateway";
import { type OpenIdProvider, startOpenIdProvider } from "../support/openid-provider";
import { addMember, invite, TEST_PASSWORD } from "../support/people";
import { looksRight } from "./looks";
import { act, describeDashboard, dialogOf, eventually, gone, rowOf, seen } from "./visit";

const CLIENT = { client_id: "gateway", client_secret: "a secret of tests only, long enough" };
const email = "dan@example.com";

let provider: OpenIdProvider;
afterAll(() => provider.close());

/** Returns the settings of a gateway with a public URL. */
async function withIssuer(base: string) {
  provider ??= await startOpenIdProvider();
  await provider.configure(
    { ...CLIENT, redirect_uris: [`${base}/auth/oidc/callback`] },
    {
      dan: { email, email_verified: true },
      eva: { email: "eva@example.com", email_verified: true },
      fay: { email: "fay@example.com", email_verified: true },
    },
  );
  return {
    PUBLIC_URL: base,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.client_id,
    OIDC_CLIENT_SECRET: CLIENT.client_secret,
    OIDC_NAME: "Example",
  };
}

const signInAs = (page: Page, account: string) => page.getByRole("link", { name: account }).click();

describeDashboard(
  "an issuer in the dashboard",
  (dashboard) => {
    test("signs a member in, confirms sensitive changes, and is unlinked by a manager", async () => {
      const { gateway } = dashboard;
      const { id: memberId } = await addMember(gateway, { email });
      const page = await dashboard.visit("/settings/profile", { as: null });
      await seen(page.getByRole("link", { name: "Sign in with Example" }));
      await looksRight(page);
      await page.getByRole("link", { name: "Sign in with Example" }).click();
      await signInAs(page, "dan");
      await seen(page.getByRole("heading", { name: "Profile" }));
      await seen(page.getByText(new URL(provider.issuer).host));

      await gateway.services.database.write((tx) =>
        tx.update(Session, { memberId }, { createdAt: timestamp(-16 * 60_000), confirmedAt: null }),
      );
      await page.getByRole("button", { name: "Change e-mail…" }).click();
      await dialogOf(page).getByLabel("New e-mail").fill("daniel@example.com");
      await page.keyboard.press("Enter");
      const asking = page.getByRole("dialog", { name: "Confirm it’s you" });
      await asking.getByRole("button", { name: "Sign in with Example instead" }).click();
      await looksRight(page);
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        asking.getByRole("button", { name: "Sign in with Example" }).click(),
      ]);
      // The issuer asks again, although the browser is signed in there.
      await signInAs(tab, "dan");
      await gone(dialogOf(page));
      await seen(page.getByRole("link", { name: "daniel@example.com" }));

      const managers = await dashboard.visit("/settings/members");
      await act(managers, "daniel@example.com", "Unlink account…");
      await seen(dialogOf(managers));
      await looksRight(managers);
      await dialogOf(managers).getByRole("button", { name: "Unlink" }).click();
      await gone(dialogOf(managers));
      await seen(rowOf(managers, "daniel@example.com"));
      await eventually(() =>
        gateway.services.database.read((reader) => reader.countBy(Session, { memberId })),
      ).toBe(1);
    });

    test("does not repeat a change as another member, who signs in to confirm it", async () => {
      const { gateway } = dashboard;
      const { id: memberId } = await addMember(gateway, { email: "eva@example.com" });
      await addMember(gateway, { email: "fay@example.com" });
      const page = await dashboard.visit("/settings/profile", { as: null });
      await page.getByRole("link", { name: "Sign in with Example" }).click();
      await signInAs(page, "eva");
      await seen(page.getByRole("heading", { name: "Profile" }));
      await gateway.services.database.write((tx) =>
        tx.update(Session, { memberId }, { createdAt: timestamp(-16 * 60_000), confirmedAt: null }),
      );
      const requests: string[] = [];
      page.on("request", (request) => requests.push(request.postData() ?? ""));
      await page.getByRole("button", { name: "Change e-mail…" }).click();
      await dialogOf(page).getByLabel("New e-mail").fill("evelyn@example.com");
      await page.keyboard.press("Enter");
      const asking = page.getByRole("dialog", { name: "Confirm it’s you" });
      await asking.getByRole("button", { name: "Sign in with Example instead" }).click();
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        asking.getByRole("button", { name: "Sign in with Example" }).click(),
      ]);
      await signInAs(tab, "fay");
      await seen(page.getByRole("link", { name: "fay@example.com" }));
      expect(requests.filter((request) => request.includes("changeEmail("))).toHaveLength(1);
    });

    test("the tab opened for a confirmation says so if it cannot close itself", async () => {
      const page = await dashboard.visit("", { as: null });
      await page.addInitScript(() => {
        window.close = () => undefined;
      });
      await page.goto(new URL("/dashboard/signed-in", page.url()).href);
      await seen(page.getByRole("heading", { name: "You are signed in" }));
      await looksRight(page);
    });
  },
  withIssuer,
);

describeDashboard(
  "an issuer as the only way to sign in",
  (dashboard) => {
    test("offers neither passwords nor passkeys, on the sign-in page, in the profile and to invited people", async () => {
      const { gateway } = dashboard;
      const fields = { email, password: TEST_PASSWORD, permissions: [Permission.config_manage] };
      await gateway.services.members.create(await operator(gateway), fields);
      const page = await dashboard.visit("/settings/profile", { as: null });
      await seen(page.getByRole("link", { name: "Sign in with Example" }));
      // The options are requested until the server responds, without a change of the window's focus.
      let failures = 0;
      await page.route("**/graphql", (route) => {
        const isFailing = route.request().postData()?.includes("query SignInOptions") && failures < 3;
        failures += isFailing ? 1 : 0;
        return isFailing ? route.abort() : route.continue();
      });
      await page.reload();
      await seen(page.getByRole("link", { name: "Sign in with Example" }));
      expect(failures).toBe(3);
      await page.unrouteAll({ behavior: "wait" });
      await gone(page.getByLabel("Password"));
      await looksRight(page);
      await page.getByRole("link", { name: "Sign in with Example" }).click();
      await signInAs(page, "dan");
      await seen(page.getByText(new URL(provider.issuer).host));
      await gone(page.getByRole("region", { name: "Passkeys" }));
      for (const name of ["Change password…", "Set password…", "Remove password…"])
        await gone(page.getByRole("button", { name }));
      await seen(page.getByRole("button", { name: "Change e-mail…" }));
      await looksRight(page);

      await page.goto(new URL("/dashboard/settings/members", page.url()).href);
      await page.getByRole("button", { name: "Invite member" }).click();
      await seen(dialogOf(page).getByText("They’ll sign in with Example when they accept."));
      const { link } = await invite(gateway, { email: "eva@example.com" });
      const invited = await dashboard.visit("", { as: null });
      await invited.goto(link);
      await seen(invited.getByRole("link", { name: "sign in with Example" }));
      await gone(invited.getByLabel("Password"));
      await invited.getByRole("link", { name: "sign in with Example" }).click();
      await signInAs(invited, "eva");
      await eventually(() =>
        gateway.services.members.byEmail("eva@example.com").then(
          () => true,
          () => false,
        ),
      ).toBe(true);
    });
  },
  async (base) => ({ ...(await withIssuer(base)), OIDC_ONLY: "true" }),
);
