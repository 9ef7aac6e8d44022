import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { OneAtATime } from "../../rate-limits/one-at-a-time";
import { recordAudit } from "../audit/audit";
import type { EventPost } from "./event-post";
import { requireEndpoint } from "./find-endpoint";
import { TEST_EVENT } from "./test-event";
import { auditTarget, webhookActions } from "./webhook.audit";
import type { WebhookTest } from "./webhook.inputs";

/** Max endpoint tests per organization per minute, in each process. */
const MAX_TESTS_PER_MINUTE = 10;

/** Sends test events at members' request, bypassing the queue. */
export class WebhookTestService {
  private readonly turns = new OneAtATime(
    MAX_TESTS_PER_MINUTE,
    "Another webhook endpoint is being tested. Try again soon.",
  );

  constructor(
    private readonly database: Database,
    private readonly post: EventPost,
  ) {}

  /**
   * Sends a test event to an endpoint, regardless of its state, and waits for the result.
   * @throws GatewayError `not_found`, `too_many_attempts`
   */
  run(context: RequestContext, id: string): Promise<WebhookTest> {
    const organizationId = organizationOf(context);
    return this.turns.run(organizationId, async () => {
      const endpoint = await this.database.writeFor(ownerOf(context.caller), async (tx) => {
        await assertSignedIn(tx, context, { permission: Permission.config_manage });
        const found = await requireEndpoint(tx, organizationId, id);
        await recordAudit(tx, context, webhookActions.webhook_endpoint_tested, auditTarget(found));
        return found;
      });
      const event = {
        id: uuid(),
        type: TEST_EVENT,
        timestamp: timestamp(),
        agentId: endpoint.agentId,
        subject: `webhook_endpoint:${id}`,
        position: null,
        data: { endpointId: id },
      };
      const { signal } = new AbortController();
      const result = await this.post.send(endpoint, event, { number: 1, signal, mayLeave: () => true });
      const { outcome, status = null, durationMs = 0 } = result;
      const { code, detail } =
        "code" in result ? result : { code: null, detail: "The endpoint accepted the event." };
      return { outcome, status, code, detail, durationMs };
    });
  }
}
