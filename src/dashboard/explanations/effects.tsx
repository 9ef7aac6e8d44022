import type { ReactNode } from "react";
import { Link } from "wouter";
import { usePolledQuery } from "../api/client";
import { durationOf } from "../lines/line-kinds";
import { MessageStateDocument } from "../messages/documents.generated";
import { StateReason, StatusTag } from "../messages/message-state";
import { exactTime, Time } from "../ui/format";
import { type Look, StateTag } from "../ui/tag";
import type { EffectFragment, EffectStatus } from "./documents.generated";
import styles from "./explanations.module.css";

const STATUSES: Readonly<Record<EffectStatus, Look>> = {
  done: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  unchanged: { label: "Nothing to change", tone: "plain" },
  skipped: { label: "Skipped", tone: "plain" },
};

/** The status of effects that are not applied. In a plan, the error of a skipped effect adds no information. */
const SKIPPED = "skipped";

/**
 * The effects of a decision, in order.
 * @param isPlanned true if the effects were not applied
 */
export function Effects(props: { effects: readonly EffectFragment[]; isPlanned?: boolean }) {
  const { effects, isPlanned = false } = props;
  const severalRules = new Set(effects.map(({ ruleId }) => ruleId)).size > 1;
  if (effects.length === 0) return <p className={styles.body}>Nothing.</p>;
  return (
    <ol className={styles.rules} aria-label="Effects">
      {effects.map((effect, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an explanation never changes, and effects may repeat
        <li key={i} className={styles.rule}>
          <p className={styles.ruleName}>
            <span>{titleOf(effect)}</span> {!isPlanned && <StateTag of={STATUSES} state={effect.status} />}
          </p>
          {effect.subject !== null && (
            <p className={styles.note}>
              Subject: <bdi>{effect.subject}</bdi>
            </p>
          )}
          {effect.text !== null && (
            <p className={styles.text} dir="auto">
              {effect.text}
            </p>
          )}
          {effect.html !== null && (
            <details className={styles.note}>
              <summary>HTML</summary>
              <p className={styles.text}>{effect.html}</p>
            </details>
          )}
          {effect.error !== null && !(isPlanned && effect.status === SKIPPED) && (
            <p className={styles.note}>{effect.error.message}</p>
          )}
          {effect.obstacles?.map((obstacle) => (
            <p key={obstacle.line} className={styles.note}>
              Not on the line {obstacle.line}: {obstacle.error.message}
            </p>
          ))}
          {effect.gate?.name === "review" && (
            <p className={styles.note}>
              Sent once someone approves it, because of {effect.gate.path ?? "the rule’s review"}.
            </p>
          )}
          {isPlanned && effect.gate?.until != null && effect.gate.path !== null && (
            <p className={styles.note}>
              Waits until {exactTime(effect.gate.until)} because of {effect.gate.path}.
            </p>
          )}
          {!isPlanned && effect.messageId !== null && <SentMessage id={effect.messageId} />}
          <Source effect={effect} withRule={severalRules} />
        </li>
      ))}
    </ol>
  );
}

/** The part of the configuration that caused the effect. */
function Source({ effect, withRule }: { effect: EffectFragment; withRule: boolean }) {
  const { kind, ruleId, template, locale, line, delaySeconds, topic, isUrgent } = effect;
  const parts = [
    withRule && (ruleId === null ? "for all other cases" : `rule ${ruleId}`),
    kind === "send" && template !== null && `template ${template}`,
    locale !== null && `in the language ${locale}`,
    kind === "send" && line !== null && `on the line ${line}`,
    delaySeconds !== null && delaySeconds > 0 && `delayed by ${durationOf(delaySeconds)}`,
    topic !== null && `about the topic ${topic}`,
    isUrgent === true && "urgent",
  ].filter((part) => part !== false);
  const text = parts.join(", ");
  return parts.length > 0 && <p className={styles.note}>{text.charAt(0).toUpperCase() + text.slice(1)}</p>;
}

function titleOf({ kind, line, reason, scope, tags, template, timer, resendOf }: EffectFragment): ReactNode {
  const list = (tags ?? []).join(", ");
  switch (kind) {
    case "send":
      return resendOf === null ? (
        "Send a message"
      ) : (
        <>
          Send <Link href={`/messages/${resendOf}`}>the failed message</Link> again
        </>
      );
    case "addTags":
      return (
        <>
          Add tags: <strong>{list}</strong>
        </>
      );
    case "removeTags":
      return (
        <>
          Remove tags: <strong>{list}</strong>
        </>
      );
    case "move":
      return (
        <>
          Move to the line <strong>{line}</strong>
        </>
      );
    case "handoff":
      return (
        <>
          Hand off {scope === "contact" && "all conversations with the contact "}to a human
          {reason !== null && (
            <>
              : <strong>{reason}</strong>
            </>
          )}
        </>
      );
    case "later":
      return (
        <>
          Submit <strong>{timer?.situationType}</strong> later
          {timer?.key != null && (
            <>
              , as the timer <bdi>{timer.key}</bdi>
            </>
          )}
          {timer?.dueAt != null && (
            <>
              : <Time value={timer.dueAt} isDue />
            </>
          )}
        </>
      );
    case "cancelTimer":
      return (
        <>
          Cancel the timer <strong>{timer?.key}</strong>
        </>
      );
    case "close":
      return "Close the conversation";
    case "ask":
      return <>Ask the model{template !== null && <strong> {template}</strong>}</>;
    default:
      return kind;
  }
}

/** The status of a message sent by a decision. */
function SentMessage({ id }: { id: string }) {
  const message = usePolledQuery(MessageStateDocument, { id }, { pollMs: 15_000 }).data?.message;
  return (
    <p className={styles.note}>
      {message && (
        <>
          <StatusTag {...message} /> <StateReason {...message} contact={message.conversation?.contact} />{" "}
        </>
      )}
      <Link href={`/messages/${id}`}>Open message</Link>
    </p>
  );
}
