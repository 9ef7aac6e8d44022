import { DAY_MS, timestamp } from "../../common/time";
import { feature } from "../../schema/feature";
import { purgeRows } from "../agents/agent-purge";
import { NOTICE_LANE } from "./add-notices";
import { HandoffNotice } from "./handoff-notice.entity";
import { HandoffNoticesResolver } from "./handoff-notices.resolver";
import { HandoffNotices } from "./handoff-notices.service";
import { HandoffSubscription } from "./handoff-subscription.entity";
import { NOTICES, NoticeWork } from "./notice-work";

/** Min time between notices to a member about the same unopened conversation (days). */
const NOTICE_DAYS = 30;

/** E-mails that notify members when a conversation is handed off to a human. */
export const handoffNotices = feature({
  entities: [HandoffNotice, HandoffSubscription],
  services: ({ database, sendMail }) => ({ handoffNotices: new HandoffNotices(database, sendMail) }),
  hooks: ({ database }) => ({
    // Notices are locked after conversations, in the same order as in a handoff.
    memberRemoved: async (tx, { id: memberId }) => {
      await tx.delete(HandoffSubscription, { memberId });
      await tx.delete(HandoffNotice, { memberId });
    },
    agentDeleted: async (tx, _, { id: agentId }) => {
      await tx.delete(HandoffSubscription, { agentId });
    },
    agentPurged: purgeRows(database, HandoffNotice),
  }),
  resolvers: ({ handoffNotices }) => [new HandoffNoticesResolver(handoffNotices)],
  lanes: (services) => ({ [NOTICE_LANE]: new NoticeWork(services) }),
  // Sends one e-mail at a time, so that a slow mail server occupies only one sender.
  shares: () => ({ [NOTICES]: { by: "channel", together: 1, owner: 1, channel: 1 } }),
  expired: () => [{ entity: HandoffNotice, column: "created_at", before: timestamp(-NOTICE_DAYS * DAY_MS) }],
});
