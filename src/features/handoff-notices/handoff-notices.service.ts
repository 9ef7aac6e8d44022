import { assertSignedIn } from "../../auth/assert-signed-in";
import { type MemberCaller, ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { insertAll } from "../../database/insert-all";
import type { SendMail } from "../../delivery/mailer";
import { GatewayError } from "../../errors";
import { Agent } from "../agents/agent.entity";
import { keepAgent, scopedAgentId } from "../agents/agent-scope";
import { recordAudit } from "../audit/audit";
import { handoffNoticeActions } from "./handoff-notices.audit";
import type { SetHandoffNoticesInput } from "./handoff-notices.inputs";
import { HandoffSubscription } from "./handoff-subscription.entity";

/** Turns handoff notices on and off for members. */
export class HandoffNotices {
  /** Finds a subscription by `<member ID> <agent ID>`; undefined if there is none. */
  private readonly subscriptionOf: (key: string) => Promise<HandoffSubscription | undefined>;

  constructor(
    private readonly database: Database,
    private readonly sendMail: SendMail | undefined,
  ) {
    this.subscriptionOf = database.coalesceByKey("handoff subscriptions", async (keys) => {
      const where = keys.map((key) => {
        const [memberId = "", agentId = ""] = key.split(" ");
        return { memberId, agentId };
      });
      const found = await database.read((reader) => reader.findBy(HandoffSubscription, where));
      return new Map(found.map((each) => [`${each.memberId} ${each.agentId}`, each]));
    });
  }

  /** True if the calling member has turned on an agent's notices; null for other callers and without e-mail. */
  async isEnabled({ caller }: RequestContext, agentId: string): Promise<boolean | null> {
    if (this.sendMail === undefined || caller.kind !== "member") return null;
    return (await this.subscriptionOf(`${caller.id} ${agentId}`)) !== undefined;
  }

  /**
   * Turns an agent's notices on or off for the calling member.
   * @throws GatewayError `not_found` (agent), or `conflict` if the server sends no e-mail
   */
  set(context: RequestContext, { agentId, enabled }: SetHandoffNoticesInput): Promise<Agent> {
    const { id: memberId } = context.caller as MemberCaller;
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { permission: Permission.conversations_read });
      await keepAgent(tx, await scopedAgentId(tx, context, agentId, "input.agentId"));
      if (enabled && this.sendMail === undefined)
        throw new GatewayError("conflict", "The server sends no e-mail, because SMTP_URL is not set.");
      const agent = await tx.findOneByOrFail(Agent, { id: agentId });
      // Concurrent calls cannot interfere, because the member's row is locked.
      if ((await tx.existsBy(HandoffSubscription, { memberId, agentId })) === enabled) return agent;
      if (enabled) await insertAll(tx, HandoffSubscription, [{ memberId, agentId, createdAt: timestamp() }]);
      else await tx.delete(HandoffSubscription, { memberId, agentId });
      const target = { id: agentId, name: agent.name, organizationId: organizationOf(context) };
      await recordAudit(tx, context, handoffNoticeActions.handoff_notices_changed, target, {
        handoffNotices: enabled ? ["off", "on"] : ["on", "off"],
      });
      return agent;
    });
  }
}
