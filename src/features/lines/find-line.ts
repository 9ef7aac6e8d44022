import type { EntityManager } from "typeorm";
import { isUuid } from "../../common/uuid";
import { noSuch } from "../../errors";
import { Line } from "./line.entity";

/** Finds a line in an organization, or throws `not_found`. */
export async function requireLine(reader: EntityManager, organizationId: string, id: string): Promise<Line> {
  const line = isUuid(id)
    ? await reader
        .createQueryBuilder(Line, "line")
        .innerJoin("line.agent", "agent")
        .where("line.id = :id AND agent.organization_id = :organizationId", { id, organizationId })
        .getOne()
    : null;
  if (line === null) throw noSuch("line");
  return line;
}
