import type { FastifyInstance } from "fastify";
import { sendValidated, type Validated, validated } from "../../http/validated";
import { feature } from "../../schema/feature";
import { CompiledConfigurations } from "./compiled-configurations";
import { configurationEventTypes } from "./configuration.event-types";
import { MEMBER_REQUEST_MAX_BYTES } from "./configuration.limits";
import { ConfigurationResolver } from "./configuration.resolver";
import { configurationRoutes } from "./configuration.routes";
import { ConfigurationService } from "./configuration.service";
import { ConfigurationDraft } from "./configuration-draft.entity";
import { ConfigurationVersion } from "./configuration-version.entity";
import { deciderWith } from "./decider";
import { documentJsonSchema } from "./document/format";
import { INITIAL_DOCUMENT } from "./initial-document";
import { insertVersion, purgeVersions } from "./versions";

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof configurationEventTypes, object> {}
}

/** Serves the JSON Schema for documents. Needs no key, because editors load it through `$schema`. */
function addConfigurationSchema(app: FastifyInstance): void {
  let schema: Validated | undefined;
  app.get("/agent/configuration/schema", async (request, reply) => {
    schema ??= validated(JSON.stringify(documentJsonSchema()));
    return sendValidated(schema, request, reply.type("application/schema+json; charset=utf-8"));
  });
}

/** Agents' configurations: their rules, texts and policies. */
export const configuration = feature({
  entities: [ConfigurationVersion, ConfigurationDraft],
  services: ({ database, lanes, config, hooks }) => ({
    configurations: new ConfigurationService(
      database,
      lanes,
      deciderWith(config.model?.name),
      config.publicUrl !== undefined,
      hooks,
    ),
    compiledConfigurations: new CompiledConfigurations(),
  }),
  hooks: ({ database, lanes, compiledConfigurations }) => ({
    topics: async (reader, agentId) => {
      const { configuration } = await compiledConfigurations.live(reader, agentId);
      return configuration.topics;
    },
    agentCreated: async (tx, context, { id }) => {
      const first = { version: 1, document: INITIAL_DOCUMENT, note: null, restoredFrom: null };
      await insertVersion(tx, lanes, context, id, first);
    },
    agentPurged: [
      async (agentId, { owner }) => {
        await database.writeFor(owner, (tx) => tx.delete(ConfigurationDraft, { agentId }));
        return true;
      },
      purgeVersions(database),
    ],
  }),
  resolvers: ({ configurations }) => [new ConfigurationResolver(configurations)],
  routes: configurationRoutes,
  http: addConfigurationSchema,
  memberRequestBytes: MEMBER_REQUEST_MAX_BYTES,
  eventTypes: configurationEventTypes,
});
