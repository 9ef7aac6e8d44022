import { type Core, feature } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { AcceptedKeys } from "./accepted-keys";
import { ApiKey } from "./api-key.entity";
import { AgentApiKeysResolver, ApiKeyResolver } from "./api-key.resolver";
import { ApiKeyService } from "./api-key.service";
import { assertNoActiveKeys } from "./key-changes";
import type { KeyUsageRecorder } from "./key-usage-recorder";

interface Needs {
  agents: AgentService;
  usageRecorder: KeyUsageRecorder;
}

/** Authentication with API keys, and their management. */
export const apiKeys = feature({
  entities: [ApiKey],
  services: ({ database, config, usageRecorder, rejectedTokens }: Needs & Core) => ({
    acceptedKeys: new AcceptedKeys(database, usageRecorder, rejectedTokens, config),
    keys: new ApiKeyService(database, config),
  }),
  hooks: ({ acceptedKeys }) => ({
    apiKeys: acceptedKeys,
    agentDeleting: (tx, _, { id }) => assertNoActiveKeys(tx, id),
  }),
  resolvers: ({ keys, agents }) => [new ApiKeyResolver(keys, agents), new AgentApiKeysResolver(keys)],
});
