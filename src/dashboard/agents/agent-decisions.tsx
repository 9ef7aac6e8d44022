import { Link } from "wouter";
import { usePolledQuery } from "../api/client";
import { OutcomeTag } from "../decisions/words";
import { Time } from "../ui/format";
import { Card, Empty } from "../ui/page";
import { Result } from "../ui/result";
import { RowLink } from "../ui/row-link";
import { columnsOf, DataTable, Row } from "../ui/table";
import type { Agent } from "./agent-page";
import { AgentDecisionsDocument } from "./documents.generated";

const POLL_INTERVAL_MS = 30_000;

const DECISION_COLUMNS = columnsOf("Situation", "Rule", "Outcome", "When");

export function AgentDecisions({ agent }: { agent: Agent }) {
  const query = usePolledQuery(AgentDecisionsDocument, { id: agent.id }, { pollMs: POLL_INTERVAL_MS });
  return (
    <Card title="Recent decisions" aside={<Link href={`/decisions?agent=${agent.id}`}>View all</Link>}>
      <Result query={query}>
        {({ decisions: { nodes } }) =>
          nodes.length === 0 ? (
            <Empty title="No decisions yet">
              <p>{agent.name} decides when a contact writes, or when your app submits a situation.</p>
            </Empty>
          ) : (
            <DataTable label="Recent decisions" columns={DECISION_COLUMNS}>
              {nodes.map((decision) => (
                <Row
                  key={decision.id}
                  columns={DECISION_COLUMNS}
                  cells={[
                    <RowLink key="type" href={`/decisions/${decision.id}`}>
                      {decision.situation.type}
                    </RowLink>,
                    decision.ruleId ?? "–",
                    <OutcomeTag key="outcome" {...decision} />,
                    <Time key="when" value={decision.createdAt} />,
                  ]}
                />
              ))}
            </DataTable>
          )
        }
      </Result>
    </Card>
  );
}
