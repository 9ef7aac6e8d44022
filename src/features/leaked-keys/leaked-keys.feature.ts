import { type Core, feature } from "../../schema/feature";
import { GitHubSignatures } from "./github-signatures";
import { leakedKeyEventTypes } from "./leaked-key.event-types";
import { addLeakedKeys } from "./leaked-keys.http";
import { leakedKeysOperations } from "./leaked-keys.operations";
import { LeakedKeysService } from "./leaked-keys.service";

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof leakedKeyEventTypes, object> {}
}

/** Revokes publicly exposed API keys. */
export const leakedKeys = feature({
  entities: [],
  services: (core: Core) => ({
    leakedKeys: new LeakedKeysService(core),
    gitHubSignatures: new GitHubSignatures(core.config, core.log),
  }),
  resolvers: () => [],
  http: addLeakedKeys,
  operations: {
    tag: "Leaked keys",
    description: "Reports of publicly exposed API keys. No API key is required.",
    operations: leakedKeysOperations,
  },
  eventTypes: leakedKeyEventTypes,
});
