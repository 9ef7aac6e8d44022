import { type Core, feature } from "../../schema/feature";
import { purgeRows } from "../agents/agent-purge";
import type { Consents } from "../contacts/consents";
import type { SituationTriggers } from "../decisions/situation-triggers";
import type { Receipts } from "../messages/receipts";
import { EarlyReceipt } from "./early-receipt.entity";
import { EarlyReceipts, RECEIPT_LANE, RECEIPTS } from "./early-receipts";
import { addInbound } from "./inbound.http";
import { inboundOperations } from "./inbound.operations";
import { InboundService } from "./inbound.service";
import { InboundMessages } from "./inbound-messages";

interface Needs {
  consents: Consents;
  receipts: Receipts;
  situationTriggers: SituationTriggers;
}

/** Inbound messages and receipts. */
export const inbound = feature({
  entities: [EarlyReceipt],
  services: (core: Core & Needs) => {
    const { database, lanes, instanceKey, rejectedTokens, receipts } = core;
    const earlyReceipts = new EarlyReceipts(database, lanes, receipts, core.log);
    const messages = new InboundMessages(lanes, core.consents, core.situationTriggers);
    return {
      earlyReceipts,
      inbound: new InboundService(database, messages, instanceKey, rejectedTokens, receipts, earlyReceipts),
    };
  },
  hooks: ({ database }) => ({ agentPurged: purgeRows(database, EarlyReceipt) }),
  resolvers: () => [],
  http: addInbound,
  operations: {
    tag: "Inbound",
    description:
      "Requests from the systems behind lines. They are signed according to Standard Webhooks with the line's secret and require no API key.",
    operations: inboundOperations,
  },
  shares: (senders) => ({
    [RECEIPTS]: { by: "channel", together: senders, owner: senders, channel: senders },
  }),
  lanes: ({ earlyReceipts }) => ({ [RECEIPT_LANE]: earlyReceipts }),
});
