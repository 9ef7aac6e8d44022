import { AllAgentsPage } from "../agents/all-agents-page";
import { DecisionList } from "./decision-list";

/** Inbox → Decisions: what the agents decided, and why. */
export const Decisions = () => (
  <AllAgentsPage
    section="Inbox"
    title="Decisions"
    lead="What your agents decided to do, and why. Open a decision to see which rule matched."
    dropped={["rule", "contact", "conversation"]}
  >
    {({ agentId, shown }) => <DecisionList agentId={agentId} severalAgents={shown.length > 1} />}
  </AllAgentsPage>
);
