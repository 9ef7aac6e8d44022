import type { EntityManager } from "typeorm";
import { getOrCreate } from "../../common/get-or-create";
import { lruCache } from "../../common/lru-cache";
import { coalesceKeysInTx } from "../../database/coalesce-in-tx";
import { placeholders } from "../../database/returning";
import { ConfigurationVersion } from "./configuration-version.entity";
import { CompiledConfiguration, policyOf } from "./document/compiled-configuration";
import type { ContactPolicy } from "./document/contact-policy";

/** Max cached compiled versions. */
const MAX_COMPILED = 100;

/** Max agents whose default contacts or policies are cached. */
const MAX_AGENTS = 10_000;

/** The version number of an agent's live configuration. */
interface LiveVersion {
  agentId: string;
  version: number;
}

/** Caches compiled versions, which is safe because a published version never changes. */
export class CompiledConfigurations {
  private readonly known = lruCache<string, CompiledConfiguration>(MAX_COMPILED);
  private readonly defaultContactOf = lruCache<string, { version: number; ref: string | null }>(MAX_AGENTS);
  private readonly policies = lruCache<string, ContactPolicy>(MAX_AGENTS);

  /** Returns an agent's compiled live version. */
  async live(
    reader: EntityManager,
    agentId: string,
  ): Promise<{ version: number; configuration: CompiledConfiguration }> {
    const version = (await liveVersionOf(reader, agentId)) as number;
    return { version, configuration: await this.at(reader, agentId, version) };
  }

  async at(reader: EntityManager, agentId: string, version: number): Promise<CompiledConfiguration> {
    const known = this.known.get(keyOf({ agentId, version }));
    return known ?? this.of(await reader.findOneByOrFail(ConfigurationVersion, { agentId, version }));
  }

  async policyAt(reader: EntityManager, agentId: string, version: number): Promise<ContactPolicy> {
    const key = keyOf({ agentId, version });
    let policy = this.policies.get(key);
    if (policy === undefined) {
      const { document } = await reader.findOneByOrFail(ConfigurationVersion, { agentId, version });
      policy = policyOf(document) as ContactPolicy;
      this.policies.set(key, policy);
    }
    return policy;
  }

  /** Returns agents' default contacts (`ref`s) by agent ID; omits agents without a default contact. */
  async defaultContacts(reader: EntityManager, agentIds: readonly string[]): Promise<Map<string, string>> {
    const refs = new Map<string, string>();
    for (const { agentId, version } of await liveVersionsOf(reader, agentIds)) {
      let known = this.defaultContactOf.get(agentId);
      if (known?.version !== version) {
        const { document } = await reader.findOneByOrFail(ConfigurationVersion, { agentId, version });
        known = { version, ref: document.defaultContact ?? null };
        this.defaultContactOf.set(agentId, known);
      }
      if (known.ref !== null) refs.set(agentId, known.ref);
    }
    return refs;
  }

  of({ agentId, version, document }: ConfigurationVersion): CompiledConfiguration {
    return getOrCreate(this.known, keyOf({ agentId, version }), () => {
      // Omits the tests, which can make up most of the document but are not used in decisions.
      const { tests: _, ...used } = document;
      return new CompiledConfiguration(used, true);
    });
  }
}

const liveVersionsOf = (reader: EntityManager, agentIds: readonly string[]): Promise<LiveVersion[]> =>
  reader.query(
    `with writing (agent_id) as (values ${placeholders(agentIds.length, 1)})
     select agent_id as "agentId",
       (select max(version) from configuration_version where agent_id = writing.agent_id) as version
     from writing`,
    [...agentIds],
  );

const liveVersionOf = coalesceKeysInTx(
  async (reader: EntityManager, agentIds) =>
    new Map(
      (await liveVersionsOf(reader, agentIds)).map(({ agentId, version }) => [agentId, Number(version)]),
    ),
);

const keyOf = ({ agentId, version }: { agentId: string; version: number }) => `${agentId}:${version}`;
