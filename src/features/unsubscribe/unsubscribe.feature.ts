import { type Core, feature } from "../../schema/feature";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import type { Consents } from "../contacts/consents";
import type { UnsubscribeLinks } from "../contacts/unsubscribe-links";
import { addUnsubscribe } from "./unsubscribe.http";
import { UnsubscribeService } from "./unsubscribe.service";

interface Needs {
  compiledConfigurations: CompiledConfigurations;
  consents: Consents;
  unsubscribeLinks: UnsubscribeLinks;
}

/** Links in messages that let contacts opt out of a topic. */
export const unsubscribe = feature({
  entities: [],
  services: ({ database, compiledConfigurations, consents, unsubscribeLinks }: Core & Needs) => ({
    unsubscribing: new UnsubscribeService(database, unsubscribeLinks, consents, compiledConfigurations),
  }),
  resolvers: () => [],
  http: addUnsubscribe,
});
