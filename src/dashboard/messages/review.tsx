import { Button, Textarea } from "@mantine/core";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { DISCARD_REASON_MAX_LENGTH, MESSAGE_TEXT_MAX_LENGTH } from "../../features/messages/message.limits";
import { change } from "../api/client";
import { AskForPermission } from "../members/managers";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { ApproveMessageDocument, DiscardMessageDocument } from "./documents.generated";
import styles from "./messages.module.css";

/** The ways to handle a proposed message, other than approving it unchanged. */
const FORMS = {
  edit: { label: "Text to send", submit: "Approve and send", maxLength: MESSAGE_TEXT_MAX_LENGTH, rows: 4 },
  discard: { label: "Reason (optional)", submit: "Discard", maxLength: DISCARD_REASON_MAX_LENGTH, rows: 1 },
} as const;

/**
 * Approve, Edit and Discard for a proposed message; a note for members without write permission.
 * @param about describes the message in the buttons' accessible names: "to Anna"
 * @param onDone called when the page shows the result
 */
export function Review({
  id,
  text,
  about,
  onDone,
}: {
  id: string;
  text: string;
  about: string;
  onDone: () => void;
}) {
  const { may, deactivated } = useViewer();
  const { busy, error, run, clearError } = useTask();
  const [form, setForm] = useState<keyof typeof FORMS>();
  if (!may("conversations_write"))
    return (
      <p className={styles.hint}>
        You cannot approve this message. <AskForPermission permission="conversations_write" />
      </p>
    );
  const approve = (edited: string | null) =>
    run(async () => {
      const { approveMessage } = await change(ApproveMessageDocument, { id, text: edited });
      toast(
        approveMessage.status === "scheduled" ? "Approved. It will be sent later." : "Approved the message.",
      );
      onDone();
    });
  const discard = (reason: string) =>
    run(async () => {
      await change(DiscardMessageDocument, { id, reason: reason.trim() || null });
      toast("Discarded the message.");
      onDone();
    });
  return (
    <div className={styles.review}>
      {form === undefined ? (
        <div className={styles.buttons}>
          <Button
            size="xs"
            loading={busy}
            disabled={deactivated}
            aria-label={`Approve the message ${about}`}
            onClick={() => approve(null)}
          >
            Approve
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={busy || deactivated}
            aria-label={`Edit the message ${about}`}
            onClick={() => setForm("edit")}
          >
            Edit
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={busy || deactivated}
            aria-label={`Discard the message ${about}`}
            onClick={() => setForm("discard")}
          >
            Discard
          </Button>
        </div>
      ) : (
        <Form
          {...FORMS[form]}
          initial={form === "edit" ? text : ""}
          isOptional={form === "discard"}
          busy={busy}
          onChange={clearError}
          onSubmit={form === "edit" ? approve : discard}
          onClosed={() => {
            clearError();
            setForm(undefined);
          }}
        />
      )}
      {error !== undefined && <Failure error={error} />}
    </div>
  );
}

function Form(props: {
  label: string;
  submit: string;
  maxLength: number;
  rows: number;
  initial: string;
  isOptional: boolean;
  busy: boolean;
  onChange: () => void;
  onSubmit: (text: string) => Promise<void>;
  onClosed: () => void;
}) {
  const [text, setText] = useState(props.initial);
  const isBlank = text.trim() === "";
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if ((isBlank && !props.isOptional) || props.busy) return;
    return props.onSubmit(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void submit(event);
    if (event.key === "Escape") props.onClosed();
  };
  return (
    <form className={styles.review} onSubmit={submit}>
      <Textarea
        label={props.label}
        dir="auto"
        data-autofocus
        autoFocus
        autosize
        minRows={props.rows}
        maxRows={12}
        maxLength={props.maxLength}
        value={text}
        onChange={({ currentTarget }) => {
          props.onChange();
          setText(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div className={styles.buttons}>
        <Button type="submit" size="xs" loading={props.busy} disabled={isBlank && !props.isOptional}>
          {props.submit}
        </Button>
        <Button size="xs" variant="default" disabled={props.busy} onClick={props.onClosed}>
          Back
        </Button>
      </div>
    </form>
  );
}
