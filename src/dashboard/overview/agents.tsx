import { Link } from "wouter";
import { Managers } from "../members/managers";
import type { AgentsQuery } from "../parts/documents.generated";
import { Card, Empty } from "../ui/page";
import { RowLink } from "../ui/row-link";
import { columnsOf, DataTable } from "../ui/table";

const COLUMNS = columnsOf("Agent", "Slug");

/** Number of agents shown; the Agents page lists all. */
const SHOWN = 5;

/** The agents, for members who may not see key usage. */
export const Agents = ({ agents }: { agents: AgentsQuery["agents"] }) => (
  <Card
    title="Agents"
    aside={agents.length > SHOWN && <Link href="/agents">View all ({agents.length})</Link>}
  >
    {agents.length === 0 ? (
      <Empty title="No agents yet">
        <p>
          Ask <Managers /> to create one.
        </p>
      </Empty>
    ) : (
      <DataTable
        label="Agents"
        columns={COLUMNS}
        rows={agents.slice(0, SHOWN)}
        cells={({ id, name, slug }) => [
          <RowLink key="name" href={`/agents/${id}`}>
            {name}
          </RowLink>,
          <code key="slug">{slug}</code>,
        ]}
      />
    )}
  </Card>
);
