import { Alert, Button, Skeleton, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { Link, useLocation } from "wouter";
import { NOTE_MAX_LENGTH } from "../../features/configuration/configuration.limits";
import { isAboutField, isConflict, sentenceOf } from "../api/api-error";
import { change, usePolledQuery } from "../api/client";
import { useMembers } from "../members/use-members";
import { type Agent, AgentPage } from "../parts/agent-page";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { Icon } from "../ui/icon";
import { Card, Empty } from "../ui/page";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { markOf } from "./check";
import styles from "./configuration.module.css";
import { Diff } from "./diff";
import { type Documents, isNextSave, isSame, useDocuments } from "./documents";
import { CheckConfigurationDocument, PublishConfigurationDocument } from "./documents.generated";
import { Newer } from "./newer";
import { Problems } from "./problems";
import { ReplayReport } from "./replay-report";
import { TestsReport, useTests } from "./tests-report";

/** Reviews the changes in a draft before publishing it. */
export const PublishPage = () => (
  <AgentPage
    title="Publish the draft"
    section={<Link href="/configuration">Configuration</Link>}
    lead="Review the changes and how they would have affected recent decisions. The new version takes effect with the next decision."
  >
    {(agent) => <OfAgent key={agent.id} agent={agent} />}
  </AgentPage>
);

function OfAgent({ agent }: { agent: Agent }) {
  const { data, error, isFetching, refetch } = useDocuments(agent.id);
  const { email } = useViewer();
  // The documents under review. A colleague's changes replace them only on request, and not after publishing.
  const [shown, show] = useState<Documents>();
  const [isPublished, setPublished] = useState(false);
  const { configuration: live, configurationDraft: draft } = data ?? {};
  const latest = live && draft ? { live, draft } : undefined;
  const follows = shown === undefined ? latest && !isFetching : !latest || isNextSave(shown, latest, email);
  if (follows && !isPublished) show(latest);
  const { live: shownLive, draft: shownDraft } = shown ?? latest ?? {};
  if (live === undefined && error !== null) return <Failure error={error} retry={refetch} />;
  if (live == null) return <Skeleton height={360} radius="lg" />;
  if (shownLive === undefined || shownDraft === undefined) {
    return (
      <Empty title="There is no draft to publish">
        <p>
          Version {live.version} is live.{" "}
          <Link href={`/configuration?agent=${agent.id}`}>Edit the configuration</Link> to start a draft.
        </p>
      </Empty>
    );
  }
  const documents = { live: shownLive, draft: shownDraft };
  const newer = isPublished || latest === undefined || isSame(documents, latest) ? undefined : latest;
  return (
    <>
      {newer && <Newer {...newer} shown={documents} onShow={() => show(newer)} />}
      <Review
        {...documents}
        agent={agent}
        isOutdated={newer !== undefined}
        reload={refetch}
        onPublish={(hasBegun) => {
          show(documents);
          setPublished(hasBegun);
        }}
      />
    </>
  );
}

interface Reviewed extends Documents {
  agent: Agent;
  /** True if the draft or the live version has changed since they were shown. */
  isOutdated: boolean;
  reload: () => Promise<unknown>;
  /** Called with true before publishing, and with false if publishing fails. */
  onPublish: (hasBegun: boolean) => void;
}

function Review(props: Reviewed) {
  const { agent, live, draft, isOutdated } = props;
  const { document } = draft;
  const { nameOfActor } = useMembers();
  const { data, error, refetch } = usePolledQuery(
    CheckConfigurationDocument,
    { document, agentId: agent.id },
    { pollMs: Number.POSITIVE_INFINITY },
  );
  const { problems = [], warnings = [] } = data?.checkConfiguration ?? {};
  const isValid = data !== undefined && problems.length === 0;
  const tests = useTests(agent.id, draft, isValid);
  const edit = <Link href={`/configuration?agent=${agent.id}`}>Edit the draft</Link>;
  return (
    <>
      {draft.basedOn !== live.version && (
        <Alert color="yellow" role="note" mb="lg" icon={<Icon of={IconAlertTriangle} />}>
          The draft was started when version {draft.basedOn} was live. Version {live.version} is live now, so
          check below that publishing won’t undo anything that you want to keep.
        </Alert>
      )}
      <Card title="Check" aside={edit}>
        {error !== null && data === undefined ? (
          <Failure error={error} retry={refetch} />
        ) : (
          data && (
            <div className={styles.text}>
              <Problems
                marks={[
                  ...problems.map((problem) => markOf(problem, "error")),
                  ...warnings.map((warning) => markOf(warning, "warning")),
                ]}
              />
            </div>
          )
        )}
      </Card>
      <Card
        title={`Changes since version ${live.version}`}
        aside={
          <span className={styles.aside}>
            Saved <Time value={draft.updatedAt} /> by {nameOfActor(draft.updatedBy)}
          </span>
        }
      >
        <Diff label={`Difference from version ${live.version}`} before={live.document} after={document} />
      </Card>
      {isValid && (
        <>
          <TestsReport {...tests} />
          <ReplayReport agent={agent} draft={draft} />
        </>
      )}
      <PublishForm
        {...props}
        // Test results for an earlier revision of the draft must not allow publishing.
        mayPublish={isValid && !isOutdated && !tests.isPlaceholderData}
        failedTests={tests.data?.runConfigurationTests.failed ?? 0}
      />
    </>
  );
}

function PublishForm(props: Reviewed & { mayPublish: boolean; failedTests: number }) {
  const { agent, live, draft, reload, onPublish, mayPublish, failedTests } = props;
  const { deactivated } = useViewer();
  const [, navigate] = useLocation();
  const { busy, error, run, clearError } = useTask();
  if (deactivated) return null;
  const isAboutNote = isAboutField(error, "note");
  const publish = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = (name: string) => String(form.get(name) ?? "").trim() || null;
    return run(async () => {
      onPublish(true);
      const { publishConfiguration } = await change(PublishConfigurationDocument, {
        agentId: agent.id,
        expectedLiveVersion: live.version,
        expectedRevision: draft.revision,
        note: given("note"),
        ignoreTests: given("ignoreTests"),
      }).catch((failure) => {
        onPublish(false);
        // Shows what has changed since the page was loaded.
        if (isConflict(failure)) void reload();
        throw failure;
      });
      toast(`Published version ${publishConfiguration.version}.`);
      navigate(`/configuration?agent=${agent.id}`);
    });
  };
  return (
    <Card title={`Publish as version ${live.version + 1}`}>
      <form onSubmit={publish} className={styles.publish}>
        <TextInput
          name="note"
          label="Note (optional)"
          description="What changed, for the history and the audit log."
          placeholder="Tells VIPs about shipped orders"
          maxLength={NOTE_MAX_LENGTH}
          autoComplete="off"
          error={isAboutNote && sentenceOf(error)}
          onChange={clearError}
        />
        {failedTests > 0 && (
          <TextInput
            key={draft.updatedAt}
            name="ignoreTests"
            required
            label={`Reason to publish even though ${failedTests === 1 ? "a test fails" : `${failedTests} tests fail`}`}
            description="For the audit log."
            maxLength={NOTE_MAX_LENGTH}
            autoComplete="off"
          />
        )}
        {error !== undefined && !isAboutNote && <Failure error={error} />}
        <div className={styles.choices}>
          <Button type="submit" disabled={!mayPublish} loading={busy}>
            {failedTests > 0 ? "Publish anyway" : `Publish version ${live.version + 1}`}
          </Button>
          <Button variant="default" component={Link} href={`/configuration?agent=${agent.id}`}>
            Back to the draft
          </Button>
        </div>
      </form>
    </Card>
  );
}
