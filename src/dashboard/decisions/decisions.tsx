import { AgentPage } from "../agents/agent-page";
import { DecisionList } from "./decision-list";

/** Inbox → Decisions: what the agent decided, and why. */
export const Decisions = () => (
  <AgentPage
    section="Inbox"
    title="Decisions"
    lead="What your agent decided to do, and why. Open a decision to see which rule matched."
  >
    {({ id }) => <DecisionList agentId={id} />}
  </AgentPage>
);
