import { operatorFor } from "../../src/auth/context";
import type { Organization } from "../../src/features/organizations/organization.entity";
import { TimerService } from "../../src/features/timers/timer.service";
import { sqlite } from "../support/engines";
import { openLogged } from "../support/query-plans";

const ORGANIZATION = "01a1f000-0000-7000-8000-000000000001";
const AGENT = "01a1f000-0000-7000-8000-000000000002";
const CONTACT = "01a1f000-0000-7000-8000-000000000003";
const TIME = "2026-01-01T00:00:00.000Z";

test.each([
  ["a contact's timers are found without reading the agent's", { contactId: CONTACT }, ["subject_id", "key"]],
  ["an agent's timers are read in the order of an index", {}, ["agent_id", "id"]],
])("%s", async (_, args, columns) => {
  const logged = await openLogged(sqlite, ["timer"]);
  try {
    await logged.database.write(async (tx) => {
      await tx.query(
        `insert into organization (id, slug, name, created_at) values ('${ORGANIZATION}', 'o', 'O', '${TIME}')`,
      );
      await tx.query(
        `insert into agent (id, organization_id, slug, name, created_at)
         values ('${AGENT}', '${ORGANIZATION}', 'a', 'A', '${TIME}')`,
      );
    });
    const context = operatorFor({ id: ORGANIZATION } as Organization);
    await new TimerService(logged.database, {} as never).list(context, {
      agentId: AGENT,
      first: 20,
      after: null,
      ...args,
    });
    const plan = await logged.planOf(logged.statements.findLast(({ query }) => /"timer"/.test(query)));
    expect(plan).toContain(logged.source.namingStrategy.indexName("timer", columns));
  } finally {
    await logged.close();
  }
});
