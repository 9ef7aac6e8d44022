import type { ApolloServerPlugin } from "@apollo/server";
import { ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import { ApolloServerPluginLandingPageLocalDefault } from "@apollo/server/plugin/landingPage/default";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config";
import { EXAMPLE } from "../example";

/** Complements the policy in the HTML of the page, where `frame-ancestors` has no effect. */
const POLICY = "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'none'";

/** Lets Apollo Sandbox load its scripts and styles, because the default policy forbids them. */
export function allowSandboxContent(app: FastifyInstance, environment: Config["environment"]): void {
  if (environment !== "development") return;
  app.addHook("onRequest", (request, reply, done) => {
    if (request.method === "GET") reply.header("content-security-policy", POLICY);
    done();
  });
}

/** Serves Apollo Sandbox to browsers at the GraphQL URL, in development only. */
export const landingPage = ({
  environment,
  introspection,
}: Pick<Config, "environment" | "introspection">): ApolloServerPlugin => {
  if (environment !== "development") return ApolloServerPluginLandingPageDisabled();
  const sandbox = ApolloServerPluginLandingPageLocalDefault({
    embed: { runTelemetry: false },
    includeCookies: false,
    document: EXAMPLE,
    headers: { Authorization: "Bearer <API_KEY>" },
  });
  return introspection ? withOfflineExplorer(sandbox) : sandbox;
};

const OPENING = "  new window.EmbeddedSandbox(";

/** Redirects browsers that cannot load Sandbox to GraphiQL. */
const withOfflineExplorer = (sandbox: ApolloServerPlugin): ApolloServerPlugin => ({
  async serverWillStart(service) {
    const listener = (await sandbox.serverWillStart?.(service)) ?? {};
    const page = await listener.renderLandingPage?.();
    if (page === undefined) throw new Error("Apollo Sandbox has no page.");
    const html = async () => {
      const text = typeof page.html === "string" ? page.html : await page.html();
      return text.replace(
        OPENING,
        `  if (window.EmbeddedSandbox === undefined) location.replace("/graphiql");\n  else${OPENING.slice(1)}`,
      );
    };
    return { ...listener, renderLandingPage: async () => ({ html }) };
  },
});
