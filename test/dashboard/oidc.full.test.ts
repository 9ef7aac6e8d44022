import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import type { Page } from "playwright-core";
import { timestamp } from "../../src/common/time";
import { Session } from "../../src/features/members/session.entity";
import { type OpenIdProvider, startOpenIdProvider } from "../support/openid-provider";
import { addMember } from "../support/people";
import { looksRight } from "./looks";
import { act, describeDashboard, dialogOf, eventually, gone, rowOf, seen } from "./visit";

const CLIENT = { client_id: "gateway", client_secret: "a secret of tests only, long enough" };
const email = "dan@example.com";

/** The settings of the gateway, complete before it starts. */
const env: Record<string, string> = {};
let provider: OpenIdProvider;
/** Serves the public URL, which the issuer knows before the port of the gateway is known. */
let front: Server;
let gatewayPort = 0;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  front = createServer((near) => {
    const far = connect(gatewayPort, "127.0.0.1");
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on("error", () => near.destroy());
  }).listen(0, "127.0.0.1");
  await once(front, "listening");
  const base = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  await provider.configure(
    { ...CLIENT, redirect_uris: [`${base}/auth/oidc/callback`] },
    { dan: { email, email_verified: true } },
  );
  Object.assign(env, {
    PUBLIC_URL: base,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.client_id,
    OIDC_CLIENT_SECRET: CLIENT.client_secret,
    OIDC_NAME: "Example",
  });
});
afterAll(async () => {
  await provider.close();
  front.close();
});

describeDashboard(
  "an issuer in the dashboard",
  (dashboard) => {
    const open = async (path: string, as: Parameters<typeof dashboard.visit>[1] = { as: null }) => {
      gatewayPort = Number(new URL(dashboard.gateway.url).port);
      const page = await dashboard.visit("", as);
      await page.goto(`${env.PUBLIC_URL}/dashboard${path}`);
      return page;
    };
    const signInAs = async (page: Page, account: string) => {
      await page.getByRole("link", { name: account }).click();
    };

    test("signs a member in, confirms what is sensitive, and is unlinked by a manager", async () => {
      const { gateway } = dashboard;
      const { id: memberId } = await addMember(gateway, { email });
      const page = await open("/settings/profile");
      await seen(page.getByRole("link", { name: "Sign in with Example" }));
      await looksRight(page);
      await page.getByRole("link", { name: "Sign in with Example" }).click();
      await signInAs(page, "dan");
      await seen(page.getByRole("heading", { name: "Profile" }));
      await seen(page.getByText(new URL(provider.issuer).host));

      await gateway.services.database.write((tx) =>
        tx.update(Session, { memberId }, { createdAt: timestamp(-16 * 60_000), confirmedAt: null }),
      );
      await page.getByRole("button", { name: "Change email…" }).click();
      await dialogOf(page).getByLabel("New email").fill("daniel@example.com");
      await page.keyboard.press("Enter");
      const asking = page.getByRole("dialog", { name: "Confirm it’s you" });
      await asking.getByRole("button", { name: "Sign in with Example instead" }).click();
      await looksRight(page);
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        asking.getByRole("button", { name: "Sign in with Example" }).click(),
      ]);
      // Although the browser is signed in there.
      await signInAs(tab, "dan");
      await gone(dialogOf(page));
      await seen(page.getByRole("link", { name: "daniel@example.com" }));

      const managers = await open("/settings/members", {});
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
  },
  env,
);
