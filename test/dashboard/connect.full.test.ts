import { timestamp } from "../../src/common/time";
import { rpc } from "../support/mcp";
import { Application } from "../support/oauth";
import { cutOff } from "./layout";
import { looksRight } from "./looks";
import { describeDashboard, eventually, gone, rowOf, seen } from "./visit";

describeDashboard(
  "connecting applications in the dashboard",
  (dashboard) => {
    test("a member sees who asks and chooses what to grant, and the application connects", async () => {
      const { gateway } = dashboard;
      const page = await dashboard.visit("");
      const base = new URL(page.url()).origin;
      const redirectUri = `${base}/llms.txt`;
      const { clientId } = await Application.register(gateway, { name: "Assistant", redirectUri });
      const application = new Application(gateway, clientId, redirectUri, base);
      await page.goto(application.authorizeUrl().replace(gateway.url, base));
      await seen(page.getByRole("heading", { name: "Connect Assistant?" }));
      await seen(page.getByText("No one. The application registered itself."));
      await looksRight(page);
      await eventually(() => cutOff(page)).toEqual([]);

      await gateway.services.database.write((tx) =>
        tx.query("update session set created_at = $1, confirmed_at = null", [timestamp(-16 * 60_000)]),
      );
      await page.getByRole("checkbox", { name: "List and read contacts." }).uncheck();
      await page.getByRole("button", { name: "Connect", exact: true }).click();
      const asking = page.getByRole("dialog", { name: "Confirm it’s you" });
      await asking.getByLabel("Password", { exact: true }).fill(gateway.ownerCredentials.password);
      await page.keyboard.press("Enter");
      await page.waitForURL(`${redirectUri}?*`);
      const answer = new URL(page.url()).searchParams;
      const { body } = await application.exchange(answer.get("code") ?? "");
      expect(body.scope).toBe("agent:read");
      expect((await rpc(gateway, "ping", {}, { token: body.access_token })).status).toBe(200);

      await page.goto(`${base}/dashboard/api-keys?kind=application`);
      await rowOf(page, "Assistant").getByRole("link").click();
      await seen(page.getByText(clientId));
      await gone(page.getByRole("button", { name: "Rotate" }));

      await page.goto(application.authorizeUrl().replace(gateway.url, base));
      await page.getByRole("button", { name: "Reject" }).click();
      await page.waitForURL(`${redirectUri}?*`);
      expect(new URL(page.url()).searchParams.get("error")).toBe("access_denied");

      await page.goto(`${base}/dashboard/connect/unknown`);
      await seen(page.getByText("This request has expired or was already answered."));
      await looksRight(page);
    });

    test("an application on the device is connected, and the page that stays open leads back to it", async () => {
      const { gateway } = dashboard;
      const page = await dashboard.visit("");
      const base = new URL(page.url()).origin;
      const redirectUri = "com.example.app:/cb";
      const { clientId } = await Application.register(gateway, { name: "Desktop", redirectUri });
      const application = new Application(gateway, clientId, redirectUri, base);
      await page.goto(application.authorizeUrl().replace(gateway.url, base));
      await seen(page.getByText("an application on this device (com.example.app://)"));
      const queries: string[] = [];
      page.on("request", (request) => queries.push(request.postData() ?? ""));
      await Promise.all([
        // The change reloads the displayed data.
        page.waitForResponse((response) => /query Viewer\b/.test(response.request().postData() ?? "")),
        page.getByRole("button", { name: "Connect", exact: true }).click(),
      ]);
      await seen(page.getByText("Continue in the application. You can close this page."));
      await looksRight(page);
      expect(queries.filter((query) => query.includes("connectionRequest("))).toEqual([]);
    });
  },
  (publicUrl) => ({ PUBLIC_URL: publicUrl, OAUTH: "true", OAUTH_DYNAMIC_REGISTRATION: "true" }),
);
