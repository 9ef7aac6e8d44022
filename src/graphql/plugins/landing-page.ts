import type { ApolloServerPlugin } from "@apollo/server";
import { ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import { ApolloServerPluginLandingPageLocalDefault } from "@apollo/server/plugin/landingPage/default";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config";

/** The initial document of Apollo Sandbox. */
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

# Follows what happens to the agent: run it, then queue a message.
subscription FollowEvents {
  events { position type subject data }
}
`;

/** Adds to the policy in the page itself, where `frame-ancestors` has no effect. */
const POLICY = "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'none'";

/** Lets Apollo Sandbox load its scripts and styles, which the default policy forbids. */
export function allowSandboxContent(app: FastifyInstance, environment: Config["environment"]): void {
  if (environment !== "development") return;
  app.addHook("onRequest", (request, reply, done) => {
    if (request.method === "GET") reply.header("content-security-policy", POLICY);
    done();
  });
}

/** Serves Apollo Sandbox to browsers at the GraphQL URL, in development only. */
export const landingPage = (environment: Config["environment"]): ApolloServerPlugin =>
  environment === "development"
    ? ApolloServerPluginLandingPageLocalDefault({
        embed: { runTelemetry: false },
        includeCookies: false,
        document: EXAMPLE,
        headers: { Authorization: "Bearer <API_KEY>" },
      })
    : ApolloServerPluginLandingPageDisabled();
