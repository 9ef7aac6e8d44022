import type { CDPSession, Page } from "playwright-core";
import { timestamp } from "../../src/common/time";
import { Session } from "../../src/features/members/session.entity";
import { addMember, openSession, type TestMember } from "../support/people";
import { hasFocus } from "./focus";
import { looksRight } from "./looks";
import { act, describeDashboard, dialogOf, eventually, gone, seen } from "./visit";

interface Device {
  cdp: CDPSession;
  authenticatorId: string;
}

/** The requests for a passkey that a page has made. */
declare const asked: CredentialRequestOptions[];

const OPTIONS = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

describeDashboard(
  "passkeys in a browser with an authenticator",
  (dashboard) => {
    let member: TestMember;
    beforeEach(async () => {
      member = await addMember(dashboard.gateway);
    });

    /** Opens the sign-in page on a device with passkeys. */
    async function open(path = "/settings/profile"): Promise<{ page: Page; device: Device }> {
      const page = await dashboard.visit(path, { as: null });
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("WebAuthn.enable");
      const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options: OPTIONS });
      await page.reload();
      return { page, device: { cdp, authenticatorId } };
    }

    async function enterPassword(
      page: Page,
      { email, password }: { email: string; password: string } = member,
    ) {
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
    }

    const passkeys = (page: Page) => page.getByRole("region", { name: "Passkeys" });
    /** @param forgets true if the browser no longer knows that a passkey was used */
    const signOut = async (page: Page, forgets = true) => {
      if (forgets) await page.evaluate(() => localStorage.clear());
      await page.getByRole("button", { name: "Sign out everywhere" }).click();
      await seen(page.getByRole("heading", { name: "Sign in" }));
    };
    const withPasskey = (page: Page) => page.getByRole("button", { name: "Sign in with a passkey" }).click();
    const signedIn = (page: Page) => seen(page.getByRole("heading", { name: "Profile" }));

    async function add(page: Page, name: string) {
      const dialog = dialogOf(page);
      await page.getByRole("button", { name: "Add passkey…" }).click();
      await dialog.getByLabel("Name").fill(name);
      await page.keyboard.press("Enter");
      await gone(dialog);
      await seen(passkeys(page).getByText(name));
    }

    /** Adds a member with a passkey, and opens the sign-in page. */
    async function withOne() {
      const opened = await open();
      await enterPassword(opened.page);
      await signedIn(opened.page);
      await add(opened.page, "Laptop");
      await signOut(opened.page);
      return opened;
    }

    test("a member adds one, signs in only with it, renames it and removes it", async () => {
      const { page } = await withOne();
      await withPasskey(page);
      await signedIn(page);
      await looksRight(page);
      await act(page, "Laptop", "Rename…");
      await dialogOf(page).getByLabel("Name").fill("Old laptop");
      await page.keyboard.press("Enter");
      await seen(passkeys(page).getByText("Old laptop"));
      await gone(passkeys(page).getByText("Never"));
      await act(page, "Old laptop", "Remove…");
      await dialogOf(page).getByRole("button", { name: "Remove passkey" }).click();
      await seen(passkeys(page).getByText("No passkeys"));
      await signOut(page);
      await withPasskey(page);
      await seen(page.getByRole("alert").getByText("The passkey was not accepted."));
      await enterPassword(page);
      await signedIn(page);
    });

    test("a browser that has used one offers it for the address, until the password is sent", async () => {
      const { page, device } = await withOne();
      const { cdp, authenticatorId } = device;
      const pick = (enabled: boolean) =>
        cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
      /** For each offer, true if it was withdrawn or another request followed it. */
      const offers = () =>
        page.evaluate(() =>
          asked.filter(({ mediation }) => mediation === "conditional").map(({ signal }) => signal?.aborted),
        );
      await page.evaluate(() => {
        const { get } = CredentialsContainer.prototype;
        Object.assign(window, { asked: [] });
        navigator.credentials.get = function (options = {}) {
          asked.push(options);
          return get.call(this, options);
        };
      });
      await withPasskey(page);
      await signedIn(page);
      // The authenticator immediately picks the offered passkey.
      await page.getByRole("button", { name: "Sign out everywhere" }).click();
      await eventually(async () => (await offers()).length).toBe(1);
      await signedIn(page);

      await pick(false);
      await signOut(page, false);
      await eventually(async () => (await offers()).slice(1)).toEqual([false]);
      await pick(true);
      await gone(page.getByRole("alert"));
      await enterPassword(page, { ...member, password: "not this one" });
      await eventually(async () => (await offers()).slice(1)).toEqual([true]);
      await seen(page.getByRole("alert").getByText("Incorrect e-mail or password."));
      await enterPassword(page);
      await signedIn(page);

      await page.evaluate(() => {
        PublicKeyCredential.isConditionalMediationAvailable = async () => false;
      });
      await signOut(page, false);
      await withPasskey(page);
      await signedIn(page);
      await eventually(async () => (await offers()).length).toBe(2);
    });

    test("after the password, the browser asks for the passkey, and a canceled request can be retried", async () => {
      const { page, device } = await withOne();
      await device.cdp.send("WebAuthn.setUserVerified", {
        authenticatorId: device.authenticatorId,
        isUserVerified: false,
      });
      await enterPassword(page);
      await seen(page.getByRole("alert").getByText("No passkey was used."));
      await looksRight(page);
      await expect(openSession(dashboard.gateway, member)).rejects.toMatchObject({
        code: "passkey_required",
      });
      await eventually(() => page.getByRole("button", { name: "Use a passkey" }).isEnabled()).toBe(true);
      await device.cdp.send("WebAuthn.setUserVerified", {
        authenticatorId: device.authenticatorId,
        isUserVerified: true,
      });
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await signedIn(page);
    });

    test("a passkey confirms a sign-in that is not recent; the password can be removed and set again", async () => {
      const { page } = await withOne();
      await withPasskey(page);
      await signedIn(page);
      await dashboard.gateway.services.database.write((tx) =>
        tx.update(Session, { memberId: member.id }, { createdAt: timestamp(-16 * 60_000) }),
      );
      await page.getByRole("button", { name: "Remove password…" }).click();
      await seen(dialogOf(page));
      await looksRight(page);
      await dialogOf(page).getByRole("button", { name: "Remove password" }).click();
      const asking = page.getByRole("dialog", { name: "Confirm it’s you" });
      await asking.getByRole("button", { name: "Use a passkey" }).click();
      await gone(dialogOf(page));
      await gone(page.getByRole("button", { name: "Remove password…" }));
      await act(page, "Laptop", "Remove…");
      await dialogOf(page).getByRole("button", { name: "Remove passkey" }).click();
      await seen(dialogOf(page).getByText("This is your only way to sign in."));
      await dialogOf(page).getByRole("button", { name: "Cancel" }).click();
      await gone(dialogOf(page));
      await page.getByRole("button", { name: "Set password…" }).click();
      await seen(dialogOf(page));
      await looksRight(page);
      await dialogOf(page).getByLabel("New password", { exact: true }).fill("another password for tests");
      await page.keyboard.press("Enter");
      await gone(dialogOf(page));
      await seen(page.getByRole("button", { name: "Change password…" }));
    });

    test("the same device is not added twice", async () => {
      const { page } = await withOne();
      await withPasskey(page);
      await signedIn(page);
      await page.getByRole("button", { name: "Add passkey…" }).click();
      await dialogOf(page).getByLabel("Name").press("Enter");
      await seen(dialogOf(page).getByText("You already have a passkey on this device."));
    });

    test("a copy of a passkey with an outdated count is rejected", async () => {
      const { page, device } = await withOne();
      const { cdp, authenticatorId } = device;
      const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
      await withPasskey(page);
      await signedIn(page);
      await signOut(page);
      await cdp.send("WebAuthn.clearCredentials", { authenticatorId });
      for (const credential of credentials)
        await cdp.send("WebAuthn.addCredential", { authenticatorId, credential });
      await withPasskey(page);
      await seen(page.getByRole("alert").getByText("The passkey was not accepted."));
    });

    test("a manager removes the passkeys of a member who has lost the device", async () => {
      const { page, device } = await withOne();
      await device.cdp.send("WebAuthn.clearCredentials", { authenticatorId: device.authenticatorId });
      const { page: manager } = await open("/settings/members");
      await enterPassword(manager, dashboard.gateway.ownerCredentials);
      await act(manager, member.email, "Passkeys…");
      const remove = dialogOf(manager).getByRole("button", { name: "Remove the passkey Laptop" });
      const confirmation = manager.getByRole("dialog", { name: "Remove “Laptop”?" });
      // Escape closes only the dialog on top, and the focus stays in the other one.
      await remove.click();
      await seen(confirmation);
      await manager.keyboard.press("Escape");
      await gone(confirmation);
      await hasFocus(remove);
      await remove.click();
      await confirmation.getByRole("button", { name: "Remove passkey" }).click();
      await seen(dialogOf(manager).getByText("No passkeys"));
      await gone(confirmation);
      await hasFocus(dialogOf(manager));
      await manager.keyboard.press("Escape");
      await hasFocus(manager.getByRole("button", { name: `Actions for ${member.email}` }));
      await enterPassword(page);
      await signedIn(page);
    });
  },
  (PUBLIC_URL) => ({ PUBLIC_URL }),
);
