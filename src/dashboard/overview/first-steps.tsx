import { useState } from "react";
import { Link } from "wouter";
import type { FirstStepsQuery } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { Card } from "../ui/page";
import { Snippet } from "../ui/snippet";
import styles from "./first-steps.module.css";

type Done = FirstStepsQuery["firstSteps"];

interface Step {
  done: keyof Done;
  title: string;
  /** The command that takes it, with the secret of a key in `$KEY`. */
  command?: string;
}

const HOST = window.location.origin;
const AS_KEY = '-H "Authorization: Bearer $KEY"';
const JSON_BODY = '-H "Content-Type: application/json"';

const STEPS: readonly Step[] = [
  { done: "keyMinted", title: "Create an API key" },
  {
    done: "keyUsed",
    title: "Use it: which agent is this key?",
    command: `curl ${AS_KEY} ${HOST}/agent/whoami`,
  },
  {
    done: "petAdded",
    title: "Add the first animal to the store",
    command: `curl ${AS_KEY} ${JSON_BODY} -d '{"name":"Rex","categoryId":1,"status":"available"}' ${HOST}/v1/pets`,
  },
  {
    done: "messageQueued",
    title: "Queue the first message for the agent",
    command: `curl ${AS_KEY} ${JSON_BODY} -d '{"message":"Hello"}' ${HOST}/messages`,
  },
];

/** What a new organization does first. It is gone once all is done, but not from under the eyes of who does it. */
export function FirstSteps(done: Done) {
  const left = STEPS.filter((step) => !done[step.done]);
  const [wasNeeded] = useState(left.length > 0);
  if (!wasNeeded) return null;
  return (
    <Card
      title="First steps"
      aside={
        <span className={styles.progress}>
          {left.length === 0 ? "All done" : `${STEPS.length - left.length} of ${STEPS.length} done`}
        </span>
      }
    >
      <ol className={styles.steps}>
        {STEPS.map((step, i) => (
          <li key={step.done} className={styles.step} data-done={done[step.done]}>
            <span className={styles.mark} aria-hidden="true">
              {done[step.done] ? <Icon name="check" size={15} /> : i + 1}
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
          In a terminal, with the key’s secret in <code>KEY</code>:
        </p>
        <Snippet what="the command" text={command} />
      </>
    );
  }
  return (
    <p className={styles.how}>
      {manages ? (
        <Link href="/settings/api-keys?create=yes">Create it under Settings, API keys</Link>
      ) : (
        "A member who manages the organization does this."
      )}
    </p>
  );
}
