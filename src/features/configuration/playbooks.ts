import { LRUCache } from "lru-cache";
import type { ConfigurationVersion } from "./configuration-version.entity";
import { Playbook } from "./document/playbook";

/** Max parsed versions in memory. */
const MAX_PLAYBOOKS = 100;

/** The published versions in a form that can be evaluated. A version never changes, so it is parsed once. */
export class Playbooks {
  private readonly known = new LRUCache<string, Playbook>({ max: MAX_PLAYBOOKS });

  of({ agentId, version, document }: ConfigurationVersion): Playbook {
    const key = `${agentId}:${version}`;
    const known = this.known.get(key);
    if (known) return known;
    const playbook = new Playbook(document, true);
    this.known.set(key, playbook);
    return playbook;
  }
}
