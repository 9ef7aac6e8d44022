import { isAllowed } from "../../auth/authorize";
import { organizationOf, type RequestContext } from "../../auth/context";
import { indexBy } from "../../common/coalesce";
import type { Database } from "../../database/database";
import { MAY_READ_LINES } from "../agents/agent.access";
import { Agent } from "../agents/agent.entity";
import type { RestoreService } from "../restores/restore.service";
import { type AttentionItem, AttentionKind } from "./attention.types";
import { SOURCES } from "./attention-sources";

const ORDER = Object.keys(AttentionKind);

/** Finds items that need a person's attention. Counts are capped, so that the cost does not grow with table size. */
export class AttentionService {
  constructor(
    private readonly database: Database,
    private readonly restores: RestoreService,
  ) {}

  /** Returns the attention items that the caller may see in their organization, most urgent kinds first. */
  async list(context: RequestContext): Promise<AttentionItem[]> {
    const mayRead = ({ allowed }: Pick<(typeof SOURCES)[number], "allowed">) =>
      isAllowed(context.caller, { allowed, whileDeactivated: false }, false);
    const sources = SOURCES.filter(mayRead);
    const items = mayRead({ allowed: MAY_READ_LINES }) ? await this.restored() : [];
    if (sources.length === 0) return items;
    const organizationId = organizationOf(context);
    await this.database.report(organizationId, async (reader) => {
      const agents = indexBy(await reader.findBy(Agent, { organizationId }), ({ id }) => id);
      for (const { find } of sources) items.push(...(await find({ reader, organizationId, agents })));
    });
    return items.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  }

  private async restored(): Promise<AttentionItem[]> {
    const since = await this.restores.restoredAt();
    return since === null
      ? []
      : [{ kind: AttentionKind.database_restored, count: 1, isCountExact: true, since }];
  }
}
