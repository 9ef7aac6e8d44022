import { Button } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { Managers } from "../members/managers";
import type { AgentsQuery } from "../parts/documents.generated";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { loaded } from "../ui/loaded";
import { Card } from "../ui/page";
import type { FirstStepsQuery } from "./documents.generated";
import styles from "./get-started.module.css";
import { TryExample } from "./try-example";

const { component: CreateKey } = loaded(async () => (await import("../api-keys/create-key")).CreateKey);
const { component: CreateLine } = loaded(async () => (await import("../lines/create-line")).CreateLine);

type Agents = AgentsQuery["agents"];
type Done = FirstStepsQuery["firstSteps"];

/** How an agent works, from left to right. */
const FLOW = [
  ["Situation", "Your program reports what happened, such as an order being shipped."],
  ["Decision", "The agent’s rules decide what to do. Every decision shows why."],
  ["Message", "The contact gets a message, for example by e-mail or SMS."],
] as const;

/**
 * Explains the product and guides managers of a new organization through setting up an agent.
 * @param props.done the steps that are done; undefined for members who may not take them
 */
export function GetStarted(props: {
  agents: Agents;
  done: Done | undefined;
  onTried: () => void;
  onDismiss: () => void;
}) {
  const { agents, done, onTried } = props;
  const left = Object.values(done ?? {}).filter((isDone) => !isDone).length;
  const total = Object.keys(done ?? {}).length;
  return (
    <Card
      title="Get started"
      aside={
        <div className={styles.progress}>
          {done && (left === 0 ? "All done" : `${total - left} of ${total} done`)}
          <Button variant="subtle" size="compact-sm" onClick={props.onDismiss}>
            Dismiss
          </Button>
        </div>
      }
    >
      <ol className={styles.flow} aria-label="How an agent works">
        {FLOW.map(([name, text]) => (
          <li key={name}>
            <strong>{name}</strong> {text}
          </li>
        ))}
      </ol>
      {done ? (
        <Steps agents={agents} done={done} onTried={onTried} />
      ) : (
        <p className={styles.access}>
          You can view agents, members and pets. Ask <Managers /> for access to conversations or settings.
        </p>
      )}
    </Card>
  );
}

function Steps({ agents, done, onTried }: { agents: Agents; done: Done; onTried: () => void }) {
  const { deactivated } = useViewer();
  const [dialog, setDialog] = useState<ReactNode>();
  const [hasTried, setTried] = useState(false);
  const onClosed = () => setDialog(undefined);
  const [agent] = agents;
  if (agent === undefined) return null;
  const steps: { name: keyof Done; title: string; help: string; how: ReactNode }[] = [
    {
      name: "keyMinted",
      title: "Create an API key",
      help: "Your program uses it to report situations.",
      how: (
        <Button
          size="xs"
          disabled={deactivated}
          onClick={() => setDialog(<CreateKey agents={agents} onClosed={onClosed} />)}
        >
          Create API key
        </Button>
      ),
    },
    {
      name: "decisionMade",
      title: "Try a situation",
      help: `See what ${agent.name} would do, and why. Nothing is stored or sent.`,
      how: (
        <TryExample
          agentId={agent.id}
          onTried={() => {
            setTried(true);
            onTried();
          }}
        />
      ),
    },
    {
      name: "lineAdded",
      title: "Add a line",
      help: "Messages on a local line stay on this server. To reach people, add a line for e-mail, or for SMS and chat through your own bridge.",
      how: (
        <Button
          size="xs"
          disabled={deactivated}
          onClick={() =>
            setDialog(<CreateLine agent={agent} onCreated={() => undefined} onClosed={onClosed} />)
          }
        >
          Create line
        </Button>
      ),
    },
    {
      name: "configurationPublished",
      title: "Publish your own rules",
      help: "Change the example, try it, then publish it.",
      how: <Link href={`/configuration?agent=${agent.id}`}>Open Configuration →</Link>,
    },
  ];
  const next = steps.find(({ name }) => !done[name]);
  return (
    <>
      <ol className={styles.steps} aria-label="Steps">
        {steps.map((step, i) => (
          <li key={step.name} className={styles.step} data-done={done[step.name]}>
            <span className={styles.mark} aria-hidden="true">
              {done[step.name] ? <Icon of={IconCheck} size={15} /> : i + 1}
            </span>
            <div className={styles.what}>
              <p className={styles.title}>
                {step.title}
                <span className="visually-hidden">{done[step.name] ? " (done)" : " (to do)"}</span>
              </p>
              {(step === next || (step.name === "decisionMade" && hasTried)) && (
                <>
                  <p className={styles.how}>{step.help}</p>
                  {step.how}
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
      {dialog}
    </>
  );
}
