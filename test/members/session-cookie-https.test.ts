import { openBrowser } from "../support/browser";
import { onOneEngine } from "../support/engines";
import { startGateway } from "../support/gateway";
import { expectGraphQLError } from "../support/rejections";
import { suiteGateway } from "../support/suite";

const VIEWER = "{ viewer { email } }";
const ADDRESS = "https://gateway.example.com";

/** Proxies between a browser and the gateway, and the headers that they add. */
const PROXIES: [string, Record<string, string>, Record<string, string>][] = [
  ["that hides everything, with PUBLIC_URL", { PUBLIC_URL: `${ADDRESS}/` }, {}],
  [
    "that is trusted",
    { TRUST_PROXY: "loopback" },
    { "x-forwarded-proto": "https", "x-forwarded-host": "gateway.example.com" },
  ],
];

onOneEngine((engine) => {
  describe.each(PROXIES)("behind a proxy for HTTPS %s", (_, env, forwarded) => {
    const gateway = suiteGateway(engine, { env });

    test("the cookie's name binds it to the host and to HTTPS, and it works", async () => {
      const browser = openBrowser(gateway, ADDRESS);
      const reply = await browser.signIn(gateway.ownerCredentials, { headers: forwarded });
      const [cookie] = reply.headers.getSetCookie();
      expect(cookie).toMatch(
        /^__Host-gateway_session=ags_\w+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
      const viewer = await browser.ask(VIEWER, {}, { headers: forwarded });
      expect(viewer.body.data.viewer.email).toBe(gateway.ownerCredentials.email);
      await browser.ask("mutation { signOut { wasActive } }", {}, { headers: forwarded });
      expect(browser.cookie()).toBeUndefined();
    });

    test("a cookie that a neighboring host could have set is not read", async () => {
      const browser = openBrowser(gateway, ADDRESS);
      const headers = { ...forwarded, cookie: `gateway_session=${gateway.owner}` };
      expect((await browser.ask(VIEWER, {}, { headers })).body).toEqual({ data: { viewer: null } });
    });

    test("a page that the same host served over HTTP is foreign", async () => {
      const browser = openBrowser(gateway, ADDRESS);
      await browser.signIn(gateway.ownerCredentials, { headers: forwarded });
      const headers = { ...forwarded, origin: ADDRESS.replace("https", "http") };
      expectGraphQLError(await browser.ask(VIEWER, {}, { headers }), "forbidden");
    });
  });

  test("behind an HTTPS proxy that adds no header, the page's origin binds the cookie to HTTPS", async () => {
    const gateway = await startGateway(engine);
    const browser = openBrowser(gateway, gateway.url.replace("http:", "https:"));
    const reply = await browser.signIn(gateway.ownerCredentials);
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-gateway_session=ags_\w+; .*Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ]);
    expect((await browser.ask(VIEWER)).body.data.viewer.email).toBe(gateway.ownerCredentials.email);
    const planted = { cookie: `gateway_session=${gateway.owner}` };
    expect((await browser.ask(VIEWER, {}, { headers: planted })).body).toEqual({ data: { viewer: null } });
    await gateway.close();
  });
});
