import { Skeleton } from "@mantine/core";
import { type Agent, AgentPage } from "../parts/agent-page";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Sliced } from "../ui/sliced";
import { useDocuments } from "./documents";
import { DraftEditor } from "./draft-editor";
import { useDiscardOrphans } from "./edits";
import { History } from "./history";
import { preloadEditor } from "./json-field";
import { TryIt } from "./try-it";

// Load the editor in parallel with the documents.
preloadEditor();

/** An agent's configuration: the draft, a dry run and the version history. */
export function Configuration() {
  useDiscardOrphans(useViewer().id);
  return (
    <AgentPage
      title="Configuration"
      section="Build"
      lead="Rules decide what the agent does in each situation. Templates hold the texts it sends."
    >
      {(agent) => <OfAgent key={agent.id} agent={agent} />}
    </AgentPage>
  );
}

function OfAgent({ agent }: { agent: Agent }) {
  const { data, error, refetch } = useDocuments(agent.id);
  const live = data?.configuration;
  if (live === undefined && error !== null) return <Failure error={error} retry={refetch} />;
  if (live == null) return <Skeleton height={480} radius="lg" />;
  return (
    <>
      <DraftEditor agent={agent} live={live} draft={data?.configurationDraft ?? null} reload={refetch} />
      <Sliced>
        {() => (
          <>
            <TryIt agent={agent} live={live} draft={data?.configurationDraft ?? null} />
            <History agent={agent} live={live.version} />
          </>
        )}
      </Sliced>
    </>
  );
}
