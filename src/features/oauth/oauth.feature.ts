import { baseUrlOf } from "../../base-url";
import { timestamp } from "../../common/time";
import { type Core, feature } from "../../schema/feature";
import type { AcceptedKeys } from "../api-keys/accepted-keys";
import { AccessTokens } from "./access-tokens";
import { AuthorizationServer } from "./authorization-server";
import { ConnectionResolver } from "./connection.resolver";
import { ConnectionService, endConnections } from "./connection.service";
import { addOAuth } from "./oauth.http";
import { OAuthRecord } from "./oauth-record.entity";
import { OAuthRecords } from "./oauth-records";

interface Needs {
  acceptedKeys: AcceptedKeys;
}

/** OAuth for `/mcp`: after a member's consent, an application can act as an agent. */
export const oauth = feature({
  entities: [OAuthRecord],
  services: ({ database, config, log, targets, rejectedTokens, acceptedKeys }: Core & Needs) => {
    const connections = new ConnectionService(database, config);
    const records = new OAuthRecords(database, connections, rejectedTokens);
    return {
      connections,
      accessTokens: config.oauth && new AccessTokens(database, acceptedKeys, rejectedTokens),
      authorizationServer:
        config.oauth &&
        new AuthorizationServer({
          baseUrl: baseUrlOf(config),
          allowsRegistration: config.oauth.allowsRegistration,
          log,
          targets,
          records,
          connections,
        }),
    };
  },
  hooks: ({ accessTokens }) => ({
    mcpTokens: accessTokens ?? [],
    managerLost: (tx, { id: memberId }, context) => endConnections(tx, { memberId }, context),
    agentDeletionStarted: (tx, context, { id: agentId }) => endConnections(tx, { agentId }, context),
  }),
  resolvers: ({ connections }) => [new ConnectionResolver(connections)],
  http: addOAuth,
  expired: () => [{ entity: OAuthRecord, column: "expires_at", before: timestamp() }],
});
