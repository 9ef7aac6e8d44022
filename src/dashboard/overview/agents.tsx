import type { AgentsQuery, UsagePeriod } from "../api/documents.generated";
import { wholeNumber } from "../ui/number";
import { Card, Empty } from "../ui/page";
import { type Column, DataTable, Row } from "../ui/table";
import { type KeyUse, PERIODS } from "./series";

const NAMES: readonly Column[] = [{ heading: "Agent" }, { heading: "Short name" }];

/** The agents, and how often they were called as, where the member may know that. */
export function Agents(props: {
  agents: AgentsQuery["agents"];
  usage: readonly KeyUse[] | undefined;
  period: UsagePeriod;
}) {
  const { usage } = props;
  const columns = usage ? [...NAMES, { heading: `Requests ${PERIODS[props.period]}` }] : NAMES;
  const requestsOf = (agentId: string) =>
    (usage ?? []).reduce(
      (sum, { apiKey, accepted }) => sum + (apiKey.agent.id === agentId ? accepted : 0),
      0,
    );
  return (
    <Card title="Agents">
      {props.agents.length === 0 ? (
        <Empty title="No agents yet">
          <p>
            They are added at the command line of the server:{" "}
            <code>npm run -s gateway -- agents add --help</code>
          </p>
        </Empty>
      ) : (
        <DataTable label="Agents" columns={columns}>
          {props.agents.map(({ id, name, slug }) => (
            <Row
              key={id}
              columns={columns}
              cells={[
                <strong key="name">{name}</strong>,
                <code key="slug">{slug}</code>,
                <span key="requests" className="numbers">
                  {wholeNumber(requestsOf(id))}
                </span>,
              ]}
            />
          ))}
        </DataTable>
      )}
    </Card>
  );
}
