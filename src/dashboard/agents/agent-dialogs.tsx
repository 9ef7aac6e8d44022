import { useLocation } from "wouter";
import { AGENT_NAME_MAX_LENGTH } from "../../features/agents/agent.limits";
import { change } from "../api/client";
import type { Agent } from "../parts/agent-page";
import { FormDialog } from "../ui/form-dialog";
import { RenameDialog } from "../ui/name-field";
import { toast } from "../ui/toast";
import type { AgentAction } from "./agent-actions";
import { DeleteAgentDocument, RenameAgentDocument } from "./documents.generated";

type Props = { agent: Agent; onClosed: () => void };

export const AgentDialog = ({ action, ...props }: Props & { action: AgentAction }) =>
  action === "rename" ? <RenameAgent {...props} /> : <DeleteAgent {...props} />;

const RenameAgent = ({ agent: { id, name }, onClosed }: Props) => (
  <RenameDialog
    name={name}
    maxLength={AGENT_NAME_MAX_LENGTH}
    description="The slug stays the same."
    onRename={(next) => change(RenameAgentDocument, { id, name: next })}
    onClosed={onClosed}
  />
);

function DeleteAgent({ agent, onClosed }: Props) {
  const [, navigate] = useLocation();
  const submit = async () => {
    await change(DeleteAgentDocument, { id: agent.id }, { waitUntilShown: false });
    toast(`Deleted ${agent.name}.`);
    navigate("/agents");
  };
  return (
    <FormDialog
      title={`Delete “${agent.name}”?`}
      submit="Delete agent"
      isDestructive
      confirm={agent.slug}
      onSubmit={submit}
      onClosed={onClosed}
    >
      <p>
        This deletes the agent’s lines, contacts, conversations, messages, decisions, configuration, events
        and the webhooks that receive only this agent’s events. Queued messages are not sent. This can’t be
        undone.
      </p>
      <p>Revoke its active API keys first; revoked and expired keys stay in the list.</p>
    </FormDialog>
  );
}
