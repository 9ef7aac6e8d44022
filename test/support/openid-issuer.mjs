// The tests' issuer: `oidc-provider` in a separate process, because Jest's CommonJS cannot load it.
import { createServer } from "node:http";

// The library warns about storage in memory, development keys and Node.js 20, which are sufficient for tests.
console.warn = () => undefined;
const { Provider } = await import("oidc-provider");

let accounts = {};
let provider;

const server = createServer((request, response) => provider.callback()(request, response));
server.listen(Number(process.env.ISSUER_PORT ?? 0), "127.0.0.1", () =>
  process.send?.({ issuer: `http://127.0.0.1:${server.address().port}` }),
);

/** Signs in the account that the browser names in a header or, for a real browser, in a form. */
const signIn = async (ctx, next) => {
  if (!ctx.path.startsWith("/interaction/")) return next();
  const accountId = ctx.get("x-account") || new URLSearchParams(ctx.querystring).get("account");
  if (!accountId) {
    ctx.type = "html";
    ctx.body = Object.keys(accounts)
      .map((id) => `<p><a href="${ctx.path}?account=${id}">${id}</a></p>`)
      .join("");
    return undefined;
  }
  const result =
    accountId === "nobody"
      ? { error: "access_denied", error_description: "<b>the issuer's own words</b>" }
      : { login: { accountId } };
  return provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: false });
};

function create({ client, known }) {
  accounts = known;
  provider = new Provider(`http://127.0.0.1:${server.address().port}`, {
    clients: [client],
    scopes: ["openid", "email", "groups"],
    claims: { openid: ["sub", "sid"], email: ["email", "email_verified"], groups: ["groups"] },
    findAccount: (_, id) => accounts[id] && { accountId: id, claims: () => ({ sub: id, ...accounts[id] }) },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = `<!doctype html>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
        },
      },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session.accountId,
        clientId: client.client_id,
      });
      grant.addOIDCScope("openid email groups");
      await grant.save();
      return grant;
    },
    cookies: { keys: ["a key of tests"] },
    // Drops the library's dispatcher, because its connections do not reach this machine.
    fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
  });
  provider.use(signIn);
  provider.on("backchannel.error", (_, error) => console.error(error));
  provider.on("server_error", (_, error) => console.error(error));
  process.send?.({ isReady: true });
}

process.on("message", (message) => create(message));
process.on("disconnect", () => process.exit());
if (process.env.ISSUER)
  setImmediate(() => server.once("listening", () => create(JSON.parse(process.env.ISSUER))));
