import type { ApolloServerPlugin } from "@apollo/server";
import { ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import { ApolloServerPluginLandingPageLocalDefault } from "@apollo/server/plugin/landingPage/default";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config";

/** What Apollo Sandbox shows when it opens. */
export const EXAMPLE = `# Put your API key into the Authorization header below (Headers tab), then press the play button.
# The server printed a key when it first started; "npm run -s gateway -- keys create" mints another.

query WhoAmIAndWhatIsThere {
  whoami {
    agent { slug name }
    organization { name }
    key { name hint }
  }
  pets(first: 5) {
    nodes { id name categoryId status }
    pageInfo { hasNextPage endCursor }
  }
}

mutation AddPet {
  createPet(input: { name: "Rex", categoryId: "1", status: available }) { id name }
}

mutation QueueMessage {
  sendMessage(input: { message: "Hello" }) { id status createdAt }
}
`;

/** Beside the policy that the page has in itself, which cannot say these. */
const POLICY = "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'none'";

/** Lets the page of Apollo Sandbox load what it is made of: other answers may load nothing. */
export function allowSandboxContent(app: FastifyInstance, environment: Config["environment"]): void {
  if (environment !== "development") return;
  app.addHook("onRequest", (request, reply, done) => {
    if (request.method === "GET") reply.header("content-security-policy", POLICY);
    done();
  });
}

/** Apollo Sandbox for browsers that open the GraphQL address; only in development. */
export const landingPage = (environment: Config["environment"]): ApolloServerPlugin =>
  environment === "development"
    ? ApolloServerPluginLandingPageLocalDefault({
        embed: { runTelemetry: false },
        includeCookies: false,
        document: EXAMPLE,
        headers: { Authorization: "Bearer <API_KEY>" },
      })
    : ApolloServerPluginLandingPageDisabled();
