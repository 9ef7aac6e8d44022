import { Brackets } from "typeorm";
import { operatorFor } from "../../auth/context";
import type { Tx } from "../../database/unit-of-work";
import { recordAudit } from "../audit/audit";
import { recordEvents } from "../events/record-events";
import { lineActions } from "./line.audit";
import { Line, LineState } from "./line.entity";
import { lineEvents } from "./line-events";

const REASON = "its secrets were lost with the instance key";

/** Pauses the lines whose secrets depend on a lost instance key, and discards the secrets. */
export async function loseSecrets(tx: Tx): Promise<void> {
  const lines = await tx
    .createQueryBuilder(Line, "line")
    .innerJoinAndSelect("line.agent", "agent")
    .innerJoinAndSelect("agent.organization", "organization")
    .where(
      new Brackets((any) => any.where("line.secret_generation > 0").orWhere("line.credentials IS NOT NULL")),
    )
    .orderBy("line.id")
    .getMany();
  for (const line of lines) {
    const organization = line.agent?.organization;
    if (organization === undefined) continue;
    const isPaused = line.state === LineState.active;
    await tx.update(
      Line,
      { id: line.id },
      {
        credentials: null,
        ...(line.email && { settings: { ...line.email, hasPassword: false } }),
        ...(line.secretGeneration > 0 && { secretGeneration: line.secretGeneration + 1 }),
        previousUntil: null,
        ...(isPaused && { state: LineState.paused, pausedReason: REASON }),
        version: line.version + 1,
      },
    );
    if (isPaused) recordEvents(tx, lineEvents({ ...line, state: LineState.paused, pausedReason: REASON }));
    const target = { id: line.id, name: line.name, organizationId: organization.id };
    await recordAudit(tx, operatorFor(organization), lineActions.line_secrets_lost, target, {
      state: [line.state, isPaused ? LineState.paused : line.state],
    });
  }
}
