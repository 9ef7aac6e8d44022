import type { AgentsQuery, UsagePeriod } from "../api/documents.generated";
import { formatNumber } from "../ui/format";
import { Card, Empty } from "../ui/page";
import { type Column, DataTable, Row } from "../ui/table";
import { type KeyUse, PERIODS } from "./series";

const NAMES: readonly Column[] = [{ heading: "Agent" }, { heading: "Slug" }];

/** The agents; with their requests for members who may see the usage of keys. */
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
            Add one from the command line on the server: <code>npm run -s gateway -- agents add --help</code>
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
                  {formatNumber(requestsOf(id))}
                </span>,
              ]}
            />
          ))}
        </DataTable>
      )}
    </Card>
  );
}
