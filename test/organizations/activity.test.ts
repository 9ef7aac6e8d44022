import { Permission } from "../../src/auth/permissions";
import { timestampOf } from "../../src/common/time";
import { leastUuidAt } from "../../src/common/uuid";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { decisionClient, publish } from "../support/decisions";
import { mint, operator } from "../support/gateway";
import { addLine } from "../support/lines";
import { addMember, addOrganization } from "../support/people";
import { describeGateway } from "../support/suite";

const ACTIVITY = `query ($period: UsagePeriod! = last_24_hours) {
  activity(period: $period) {
    sent { count } delivered { count } failed { count } decisions { count isExact }
  }
}`;
const HOUR_MS = 60 * 60 * 1000;

describeGateway({ engine: "any" }, (gateway) => {
  test("the activity of an organization counts its decisions, and its messages by status", async () => {
    const { agentId, manager } = await addOrganization(gateway, "active");
    const reader = await addMember(gateway, { org: "active", permissions: [Permission.conversations_read] });
    const activity = async (period: string) => {
      const { body } = await gateway.graphql(ACTIVITY, { period }, { token: reader.token });
      return body.data.activity;
    };
    let sequence = 0;
    const add = (status: MessageStatus, hoursAgo: number, of = agentId) =>
      gateway.services.database.write((tx) => {
        const ms = Date.now() - hoursAgo * HOUR_MS;
        sequence += 1;
        const id = `${leastUuidAt(ms).slice(0, 13)}-7000-8000-${String(sequence).padStart(12, "0")}`;
        const createdAt = timestampOf(ms);
        return tx.insert(Message, { id, agentId: of, text: "text", status, createdAt });
      });
    const { agentId: ofOthers } = await addOrganization(gateway, "others");
    await add(MessageStatus.failed, 1, ofOthers);
    const none = { count: 0 };
    expect(await activity("last_30_days")).toEqual({
      sent: none,
      delivered: none,
      failed: none,
      decisions: { count: 0, isExact: true },
    });
    for (const status of Object.values(MessageStatus)) await add(status, 1);
    await add(MessageStatus.failed, 23);
    await add(MessageStatus.failed, 25);
    await add(MessageStatus.failed, 31 * 24);
    const { secret } = await mint(gateway, { agent: "active-agent" });
    await publish(gateway, agentId, { rules: [] });
    await decisionClient(gateway, secret).decide({});
    expect(await activity("last_24_hours")).toEqual({
      sent: { count: 1 },
      delivered: { count: 2 },
      failed: { count: 2 },
      decisions: { count: 1, isExact: true },
    });
    expect((await activity("last_30_days")).failed).toEqual({ count: 3 });
    const { body } = await gateway.graphql(ACTIVITY, {}, { token: manager.token });
    expect(body.errors[0].extensions.code).toBe("forbidden");
  });

  test("each agent's keys, lines, live version and latest decision are read at a glance", async () => {
    const { agentId, manager } = await addOrganization(gateway, "glanced");
    const summaries = async () => {
      const { body } = await gateway.graphql(
        "{ agentSummaries { agentId activeKeys lines liveVersion lastDecisionAt } }",
        {},
        { token: manager.token },
      );
      return body.data.agentSummaries;
    };
    const start = { agentId, activeKeys: 0, lines: 1, liveVersion: 1, lastDecisionAt: null };
    expect(await summaries()).toEqual([start]);
    const context = await operator(gateway, "glanced");
    const { secret } = await mint(gateway, { agent: "glanced-agent" });
    await mint(gateway, { agent: "glanced-agent", expiresAt: new Date(Date.now() + HOUR_MS) });
    const revoked = await mint(gateway, { agent: "glanced-agent" });
    await gateway.services.keys.revoke(context, revoked.id);
    const line = await addLine(gateway, { agentId });
    await addLine(gateway, { agentId });
    await gateway.services.lines.archive(context, line.id);
    await publish(gateway, agentId, { rules: [] });
    await decisionClient(gateway, secret).decide({});
    const { body: last } = await decisionClient(gateway, secret).decide({});
    expect(await summaries()).toEqual([
      { agentId, activeKeys: 2, lines: 2, liveVersion: 2, lastDecisionAt: last.createdAt },
    ]);
  });
});
