import { timestamp } from "../../src/common/time";
import type { Tx } from "../../src/database/unit-of-work";
import { Lane } from "../../src/delivery/lane.entity";
import type { Lanes } from "../../src/delivery/lanes";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway((gateway) => {
  test.each<[string, (lanes: Lanes, tx: Tx, agentId: string) => Promise<void>]>([
    ["to wake", (lanes, tx, agentId) => lanes.wakeAgents(tx, [agentId])],
    ["to end", (lanes, tx, agentId) => lanes.endAll(tx, agentId)],
  ])("many lanes of an agent %s are not read into memory", async (_, change) => {
    const { database, lanes } = gateway.services;
    const agentId = await firstAgentId(gateway);
    const wakeAt = timestamp(60_000);
    const rows: number[] = [];
    await database.write(async (tx) => {
      const many = Array.from({ length: 300 }, (_, i) => ({
        id: `lane ${i}`,
        agentId,
        kind: "none",
        wakeAt,
      }));
      await tx.upsert(Lane, many, ["id"]);
      const runner = tx.queryRunner as NonNullable<Tx["queryRunner"]>;
      const query = runner.query.bind(runner);
      jest.spyOn(runner, "query").mockImplementation(async (...statement) => {
        const result = await query(...(statement as [string]));
        rows.push((Array.isArray(result) ? result : (result?.records ?? [])).length);
        return result;
      });
      await change(lanes, tx, agentId);
      expect(await tx.countBy(Lane, { agentId, wakeAt })).toBe(0);
    });
    expect(Math.max(...rows)).toBeLessThanOrEqual(1);
  });
});
