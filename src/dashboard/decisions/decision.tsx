import { Link, useParams } from "wouter";
import { usePolledQuery } from "../api/client";
import { KeepAsTest, testFromDecision } from "../configuration/keep-test";
import { Effects } from "../explanations/effects";
import styles from "../explanations/explanations.module.css";
import { ModelExchange } from "../explanations/model-exchange";
import { Rules } from "../explanations/rules";
import { closedGate, deedsOf, Undeclared } from "../explanations/words";
import { nameOfContact } from "../parts/contact-label";
import { useViewer } from "../session/session";
import { Beside } from "../ui/beside";
import { Facts } from "../ui/facts";
import { Time } from "../ui/format";
import { FoundPage } from "../ui/found-page";
import { Json } from "../ui/json";
import { Name } from "../ui/name";
import { Card, Page } from "../ui/page";
import { DecisionDocument, type DecisionQuery, ReceivedMessageDocument } from "./documents.generated";
import { OutcomeTag } from "./outcome";
import { ReplayCard } from "./replay";

const SECTION = <Link href="/decisions">Decisions</Link>;

/** The situation that inbound messages raise. */
const RECEIVED = "message.received";

type DecisionData = NonNullable<DecisionQuery["decision"]>;

/** One decision: the situation, the rule that matched and why, and what the agent did. */
export function Decision() {
  const { id = "" } = useParams<{ id: string }>();
  const query = usePolledQuery(DecisionDocument, { id }, { pollMs: 15_000 });
  return (
    <FoundPage
      of="decision"
      query={query}
      item={query.data?.decision}
      missing="It may have been deleted: decisions are kept for a limited time."
    >
      {(decision) => <DecisionPage id={id} decision={decision} />}
    </FoundPage>
  );
}

function DecisionPage({ id, decision }: { id: string; decision: DecisionData }) {
  const { manages } = useViewer();
  const { agentId, situation, situationKey, explanation, configurationVersion, decidedAt } = decision;
  const { messageIds: ids, ...others } = situation.data;
  const messageIds: string[] = situation.type === RECEIVED && Array.isArray(ids) ? ids : [];
  const data = messageIds.length > 0 ? others : situation.data;
  return (
    <Page title={situation.type} section={SECTION} summary={<Summary decision={decision} />}>
      <Beside aside={<About id={id} decision={decision} />}>
        <Card title="What happened">
          <Facts
            facts={{
              Situation: (
                <Link href={`/decisions?agent=${agentId}&type=${situation.type}`}>
                  <code>{situation.type}</code>
                </Link>
              ),
              Key: situationKey !== null && (
                <Link href={`/decisions?agent=${agentId}&key=${encodeURIComponent(situationKey)}`}>
                  <bdi>{situationKey}</bdi>
                </Link>
              ),
              ...(messageIds.length > 0 && {
                Messages: messageIds.map((each) => <ReceivedMessage key={each} id={each} />),
              }),
              Data: (messageIds.length === 0 || Object.keys(data).length > 0) && (
                <Json label={Object.keys(data).join(", ")} value={data} open={messageIds.length === 0} />
              ),
            }}
          />
        </Card>
        {explanation !== null && (
          <>
            <Card
              title="What the agent did"
              aside={decidedAt !== null && <KeepAsTest agentId={agentId} load={testFromDecision({ id })} />}
            >
              {decision.decider === "model" && (
                <p className={styles.body}>
                  The model chose everything after “Ask the model”, within the limits of the rule.
                </p>
              )}
              <Effects effects={explanation.effects} />
            </Card>
            {decision.modelExchange !== null && (
              <Card title="The model’s input and answer">
                <ModelExchange exchange={decision.modelExchange} />
              </Card>
            )}
            <Card title="Why: the rules, in order">
              <Rules explanation={explanation} />
            </Card>
          </>
        )}
        {manages && decidedAt !== null && explanation !== null && configurationVersion !== null && (
          <ReplayCard id={id} agentId={agentId} version={configurationVersion} />
        )}
      </Beside>
    </Page>
  );
}

/** A message that the contact wrote, with a link to its page. */
function ReceivedMessage({ id }: { id: string }) {
  const message = usePolledQuery(ReceivedMessageDocument, { id }, { pollMs: 60_000 }).data?.message;
  return (
    <Link href={`/messages/${id}`}>
      <Name>{message === undefined ? "…" : message?.text || "Erased"}</Name>
    </Link>
  );
}

/** The decision in a sentence or two. */
function Summary({ decision: { state, ruleId, explanation, decidedAt } }: { decision: DecisionData }) {
  const closed = explanation === null ? undefined : closedGate(explanation);
  if (state === "failed") {
    return `The decision couldn’t be made, and nothing was done. ${explanation?.error?.message ?? ""}`;
  }
  if (decidedAt === null) return "The agent is still deciding.";
  if (closed !== undefined) return closed;
  if (ruleId !== null) {
    return (
      <>
        The rule <strong>{ruleId}</strong> matched
        {explanation === null
          ? ". The reasons are no longer known because the contact was erased."
          : `, so the agent ${deedsOf(explanation.effects)}.`}
        {explanation !== null && <Undeclared {...explanation} />}
      </>
    );
  }
  if (explanation === null) return "The contact was erased, along with the reasons for this decision.";
  return (
    <>
      {explanation.effects.length === 0
        ? "No rule matched, so the agent did nothing."
        : `No rule matched, so “otherwise” applied: the agent ${deedsOf(explanation.effects)}.`}
      <Undeclared {...explanation} />
    </>
  );
}

function About({ id, decision }: { id: string; decision: DecisionData }) {
  const { manages } = useViewer();
  const { agentId, contactId, conversationId, ruleId, configurationVersion: version } = decision;
  return (
    <Card title="Decision">
      <Facts
        facts={{
          Outcome: <OutcomeTag {...decision} />,
          When: <Time value={decision.createdAt} />,
          Rule: ruleId !== null && <Link href={`/decisions?agent=${agentId}&rule=${ruleId}`}>{ruleId}</Link>,
          Contact: contactId !== null && (
            <Link href={`/contacts/${contactId}`}>
              <bdi>{nameOfContact(decision.contact)}</bdi>
            </Link>
          ),
          Conversation: conversationId !== null && (
            <Link href={`/conversations/${conversationId}`}>Open conversation</Link>
          ),
          "Decided by": decision.decider === "model" ? "Rules and a model" : "Rules",
          Model:
            decision.explanation?.model == null ? undefined : <ModelUse model={decision.explanation.model} />,
          Configuration: manages ? (
            <Link href={`/configuration?agent=${agentId}`}>Version {version}</Link>
          ) : (
            `Version ${version}`
          ),
          ID: <code>{id}</code>,
        }}
      />
    </Card>
  );
}

/** The model that was asked, how long it took, and the tokens it used, if known. */
function ModelUse({ model }: { model: NonNullable<NonNullable<DecisionData["explanation"]>["model"]> }) {
  const { name, durationMs, inputTokens, outputTokens } = model;
  return (
    <>
      {name}, {(durationMs / 1000).toFixed(1)} s
      {inputTokens !== null && outputTokens !== null && (
        <>
          , {inputTokens} input tokens, {outputTokens} output tokens
        </>
      )}
    </>
  );
}
