import { LaneKind } from "../../delivery/lane.entity";
import { type Core, feature } from "../../schema/feature";
import { type AgentPurge, purgeRows } from "../agents/agent-purge";
import type { RaisedSituations } from "../decisions/raised-situations";
import type { Receipts } from "../messages/receipts";
import { EarlyReceipt } from "./early-receipt.entity";
import { EarlyReceipts } from "./early-receipts";
import { InboundService } from "./inbound.service";

interface Needs {
  agentPurge: AgentPurge;
  receipts: Receipts;
  situations: RaisedSituations;
}

/** What contacts write, and receipts. */
export const inbound = feature({
  entities: [EarlyReceipt],
  services: ({
    database,
    lanes,
    instanceKey,
    refusedTokens,
    log,
    receipts,
    situations,
    agentPurge,
  }: Core & Needs) => {
    agentPurge.onPurge(purgeRows(database, EarlyReceipt));
    const earlyReceipts = new EarlyReceipts(database, lanes, receipts, log);
    return {
      earlyReceipts,
      inbound: new InboundService(
        database,
        lanes,
        instanceKey,
        refusedTokens,
        situations,
        receipts,
        earlyReceipts,
      ),
    };
  },
  resolvers: () => [],
  lanes: ({ earlyReceipts }) => ({ [LaneKind.receipt]: earlyReceipts }),
});
