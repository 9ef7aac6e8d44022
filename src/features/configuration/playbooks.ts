import { LRUCache } from "lru-cache";
import type { EntityManager } from "typeorm";
import { ConfigurationVersion } from "./configuration-version.entity";
import { Playbook } from "./document/playbook";

/** Max parsed versions in memory. */
const MAX_PLAYBOOKS = 100;

/** The published versions in a form that can be evaluated. A version never changes, so it is parsed once. */
export class Playbooks {
  private readonly known = new LRUCache<string, Playbook>({ max: MAX_PLAYBOOKS });

  /** The live version of an agent, in a form that can be evaluated. */
  async live(reader: EntityManager, agentId: string): Promise<{ version: number; playbook: Playbook }> {
    const row = await reader
      .createQueryBuilder(ConfigurationVersion, "live")
      .select("MAX(live.version)", "version")
      .where({ agentId })
      .getRawOne<{ version: number }>();
    const version = Number(row?.version);
    const known = this.known.get(keyOf({ agentId, version }));
    if (known) return { version, playbook: known };
    const stored = await reader.findOneByOrFail(ConfigurationVersion, { agentId, version });
    return { version, playbook: this.of(stored) };
  }

  of({ agentId, version, document }: ConfigurationVersion): Playbook {
    const key = keyOf({ agentId, version });
    const known = this.known.get(key);
    if (known) return known;
    const playbook = new Playbook(document, true);
    this.known.set(key, playbook);
    return playbook;
  }
}

const keyOf = ({ agentId, version }: { agentId: string; version: number }) => `${agentId}:${version}`;
