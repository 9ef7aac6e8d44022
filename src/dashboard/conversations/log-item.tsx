import { Link } from "wouter";
import type { Names } from "../members/use-members";
import { useViewer } from "../session/session";
import { Time } from "../ui/format";
import type { LogEntryFragment } from "./documents.generated";
import styles from "./thread.module.css";

/** A change to a conversation, shown in its thread with the author. */
export function LogItem({ entry, names }: { entry: LogEntryFragment; names: Names }) {
  return (
    <li className={styles.entry}>
      <p>
        <Sentence entry={entry} names={names} />
        {entry.decisionId !== null && (
          <>
            {" "}
            <Link href={`/decisions/${entry.decisionId}`}>Why?</Link>
          </>
        )}{" "}
        · <Time value={entry.createdAt} />
      </p>
    </li>
  );
}

function Sentence({ entry, names: { nameOfActor } }: { entry: LogEntryFragment; names: Names }) {
  const { email } = useViewer();
  const { kind, before, after, reason } = entry;
  const actor = actorIn(entry, email);
  const who = <bdi>{actor ?? nameOfActor(entry.actorName)}</bdi>;
  const self = actor === YOU ? "yourself" : "you";
  switch (kind) {
    case "handed_off":
      return (
        <>
          {who} handed off the conversation
          {reason !== null && (
            <>
              : <strong>{reason}</strong>
            </>
          )}
        </>
      );
    case "released":
      return <>{who} released the conversation to the agent</>;
    case "moved":
      return (
        <>
          {who} moved the conversation from <bdi>{before}</bdi> to <bdi>{after}</bdi>
        </>
      );
    case "assigned":
      return after === null ? (
        <>
          {who} unassigned <bdi>{before === email ? self : nameOfActor(before ?? "")}</bdi>
        </>
      ) : (
        <>
          {who} assigned the conversation to <bdi>{after === email ? self : nameOfActor(after)}</bdi>
        </>
      );
    case "closed":
      return <>{who} closed the conversation</>;
  }
}

const YOU = "You";

/** Returns the author of a change, worded to start a sentence; undefined for other members. */
function actorIn({ decisionId, actorKind, actorName }: LogEntryFragment, viewerEmail: string) {
  if (decisionId !== null) return "Agent";
  if (actorKind === "agent") return "API";
  if (actorKind === "system") return "Gateway";
  return actorName === viewerEmail ? YOU : undefined;
}
