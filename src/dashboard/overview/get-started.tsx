import { Button } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Link } from "wouter";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { Card } from "../ui/page";
import { Snippet } from "../ui/snippet";
import type { FirstStepsQuery } from "./documents.generated";
import styles from "./get-started.module.css";

type Done = FirstStepsQuery["firstSteps"];

interface Step {
  done: keyof Done;
  title: string;
  /** The command for the step, with an API key in `$KEY`. */
  command?: string;
}

const HOST = window.location.origin;
const AS_KEY = '-H "Authorization: Bearer $KEY"';
const JSON_BODY = '-H "Content-Type: application/json"';

const STEPS: readonly Step[] = [
  { done: "keyMinted", title: "Create an API key" },
  {
    done: "keyUsed",
    title: "Make your first request",
    command: `curl ${AS_KEY} ${HOST}/agent/whoami`,
  },
  {
    done: "petAdded",
    title: "Add your first pet",
    command: `curl ${AS_KEY} ${JSON_BODY} -d '{"name":"Rex","categoryId":1,"status":"available"}' ${HOST}/v1/pets`,
  },
  {
    done: "messageQueued",
    title: "Send your first message",
    command: `curl ${AS_KEY} ${JSON_BODY} -d '{"message":"Hello"}' ${HOST}/messages`,
  },
];

/** Onboarding for a new organization. */
export function GetStarted({ done, onDismiss }: { done: Done; onDismiss: () => void }) {
  const left = STEPS.filter((step) => !done[step.done]);
  return (
    <Card
      title="Get started"
      aside={
        <div className={styles.progress}>
          {left.length === 0 ? "All done" : `${STEPS.length - left.length} of ${STEPS.length} done`}
          <Button variant="subtle" size="compact-sm" onClick={onDismiss}>
            Dismiss
          </Button>
        </div>
      }
    >
      <ol className={styles.steps}>
        {STEPS.map((step, i) => (
          <li key={step.done} className={styles.step} data-done={done[step.done]}>
            <span className={styles.mark} aria-hidden="true">
              {done[step.done] ? <Icon of={IconCheck} size={15} /> : i + 1}
            </span>
            <div className={styles.what}>
              <p className={styles.title}>
                {step.title}
                <span className="visually-hidden">{done[step.done] ? " (done)" : " (to do)"}</span>
              </p>
              {step === left[0] && <HowTo step={step} />}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function HowTo({ step: { command } }: { step: Step }) {
  const { manages } = useViewer();
  if (command !== undefined) {
    return (
      <>
        <p className={styles.how}>
          Run this in a terminal (first: <code>export KEY=&lt;your API key&gt;</code>)
        </p>
        <Snippet what="the command" text={command} />
      </>
    );
  }
  return (
    <p className={styles.how}>
      {manages ? <Link href="/api-keys?create=yes">Create API key →</Link> : "Ask an admin to create one."}
    </p>
  );
}
