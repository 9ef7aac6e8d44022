import type { ApolloServerPlugin } from "@apollo/server";
import { ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import { ApolloServerPluginLandingPageLocalDefault } from "@apollo/server/plugin/landingPage/default";
import type { Config } from "../config";

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
