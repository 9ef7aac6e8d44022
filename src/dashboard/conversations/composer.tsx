import { Button, Textarea } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef } from "react";
import { isAboutField, sentenceOf } from "../api/api-error";
import { change } from "../api/client";
import { AskForPermission } from "../members/managers";
import { unsent } from "../parts/unsent";
import { UnsentText } from "../parts/unsent-text";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Notice } from "../ui/notice";
import { useTask } from "../ui/task";
import { type ConversationFragment, SendToConversationDocument } from "./documents.generated";
import styles from "./thread.module.css";

/** Returns the reason why the member cannot write; undefined if they can. */
function obstacleOf(
  { state }: ConversationFragment,
  { mayWrite, deactivated }: { mayWrite: boolean; deactivated: boolean },
): ReactNode {
  if (!mayWrite)
    return (
      <>
        You can read this conversation, but not write in it.{" "}
        <AskForPermission permission="conversations_write" />
      </>
    );
  if (deactivated) return "Your organization is deactivated. No messages can be sent.";
  return state === "closed" ? "This conversation is closed." : undefined;
}

interface Props {
  conversation: ConversationFragment;
  /** True if the contact has opted out of messages to the conversation's address. */
  isOptedOut: boolean | undefined;
}

/** The field for writing to the contact, or the reason why the member cannot write. */
export function Composer({ conversation, isOptedOut }: Props) {
  const { may, deactivated } = useViewer();
  const obstacle = obstacleOf(conversation, { mayWrite: may("conversations_write"), deactivated });
  if (obstacle !== undefined) {
    return (
      <div className={styles.composer}>
        <p className={styles.hint}>{obstacle}</p>
        <UnsentText id={conversation.id} />
      </div>
    );
  }
  return <Form conversation={conversation} isOptedOut={isOptedOut} />;
}

function Form({ conversation: { id, handler }, isOptedOut }: Props) {
  const { id: memberId } = useViewer();
  const text = unsent.use(memberId, id);
  const field = useRef<HTMLTextAreaElement>(null);
  const { busy, error, run, clearError } = useTask();
  const write = (typed: string) => {
    unsent.set(memberId, id, typed);
    if (typed === "" && !busy) unsent.forgetKey(memberId, id);
    clearError();
  };
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() === "" || busy) return;
    field.current?.focus();
    // The user may write the next message while this one is being sent, even after leaving and reopening the page.
    unsent.set(memberId, id, "");
    let sending = text;
    // May run twice, because a request canceled by the closing tab also fails.
    const restore = () => {
      unsent.set(memberId, id, [sending, unsent.get(memberId, id)].filter(Boolean).join("\n"));
      sending = "";
    };
    return run(async () => {
      // Closing or reloading the tab may cancel the request.
      window.addEventListener("pagehide", restore);
      try {
        const idempotencyKey = unsent.keyOf(memberId, id, text);
        await change(SendToConversationDocument, { id, text, idempotencyKey });
      } catch (failure) {
        restore();
        throw failure;
      } finally {
        window.removeEventListener("pagehide", restore);
      }
      // When the page is restored from the back/forward cache, the field may still contain text that has
      // already been sent.
      const kept = unsent.get(memberId, id);
      if (sending === "" && kept.startsWith(text))
        unsent.set(memberId, id, kept.slice(text.length).replace(/^\n/, ""));
      unsent.forgetKey(memberId, id, text);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void send(event);
  };
  const badMessage = isAboutField(error, "text");
  return (
    <form className={styles.composer} onSubmit={send}>
      <Textarea
        ref={field}
        aria-label="Message"
        placeholder="Write a message"
        name="message"
        rows={3}
        dir="auto"
        value={text}
        onChange={({ currentTarget }) => write(currentTarget.value)}
        onKeyDown={onKeyDown}
        error={badMessage && sentenceOf(error)}
      />
      {error !== undefined && !badMessage && <Failure error={error} />}
      {isOptedOut && (
        <Notice tone="warn" role="note" icon={IconAlertTriangle}>
          The contact has opted out, so messages to this address will be canceled.
        </Notice>
      )}
      <div className={styles.foot}>
        <p className={styles.hint}>
          {handler === "agent"
            ? "The agent also answers here. Hand off the conversation to answer yourself."
            : "The agent is silent here until you release the conversation."}{" "}
          <span className={styles.keys}>Ctrl or ⌘ + Enter sends.</span>
        </p>
        <Button type="submit" loading={busy} disabled={text.trim() === "" && !busy}>
          Send
        </Button>
      </div>
    </form>
  );
}
