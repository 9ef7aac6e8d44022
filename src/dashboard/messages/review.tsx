import { Button, Textarea } from "@mantine/core";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { change } from "../api/client";
import { AskForPermission } from "../members/managers";
import { unsent } from "../parts/unsent";
import { UnsentText } from "../parts/unsent-text";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import pageStyles from "../ui/page.module.css";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { ApproveMessageDocument, DiscardMessageDocument } from "./documents.generated";
import styles from "./messages.module.css";

/** The forms for handling a proposed message other than approving it unchanged. */
const FORMS = {
  edit: { label: "Text to send", submit: "Approve and send", rows: 4 },
  discard: { label: "Reason (optional)", submit: "Discard", rows: 1 },
} as const;

/**
 * Approve, Edit and Discard for a proposed message; a note for members without write permission.
 * @param about describes the message in the buttons' accessible names: "to Anna"
 * @param onDone called when the page shows the result
 */
export function Review(props: { id: string; text: string; about: string; onDone: () => void }) {
  const { id, text, about, onDone } = props;
  const { id: memberId, may, deactivated } = useViewer();
  const { busy, error, run, clearError } = useTask();
  const [opened, open] = useState<keyof typeof FORMS>();
  const [reason, setReason] = useState("");
  const edited = unsent.use(memberId, id);
  const form = opened ?? (edited === "" ? undefined : "edit");
  if (!may("conversations_write"))
    return (
      <>
        <p className={pageStyles.second}>
          You cannot approve this message. <AskForPermission permission="conversations_write" />
        </p>
        <UnsentText id={id} />
      </>
    );
  const close = () => {
    clearError();
    unsent.set(memberId, id, "");
    setReason("");
    open(undefined);
  };
  const approve = (newText: string | null) =>
    run(async () => {
      const { approveMessage } = await change(ApproveMessageDocument, { id, text: newText });
      toast(
        approveMessage.status === "scheduled" ? "Approved. It will be sent later." : "Approved the message.",
      );
      close();
      onDone();
    });
  const discard = () =>
    run(async () => {
      await change(DiscardMessageDocument, { id, reason: reason.trim() || null });
      toast("Discarded the message.");
      onDone();
    });
  return (
    <div className={styles.review}>
      {form === undefined ? (
        <div className={pageStyles.actions}>
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
            onClick={() => {
              unsent.set(memberId, id, text);
              open("edit");
            }}
          >
            Edit
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={busy || deactivated}
            aria-label={`Discard the message ${about}`}
            onClick={() => open("discard")}
          >
            Discard
          </Button>
        </div>
      ) : (
        <Form
          {...FORMS[form]}
          text={form === "edit" ? edited : reason}
          isOptional={form === "discard"}
          hasFocus={opened !== undefined}
          busy={busy}
          onChange={(next) => {
            clearError();
            // A restored edit is shown because it has text; keep the form open if the user clears it.
            open(form);
            if (form === "edit") unsent.set(memberId, id, next);
            else setReason(next);
          }}
          onSubmit={() => (form === "edit" ? approve(edited) : discard())}
          onClosed={close}
        />
      )}
      {error !== undefined && <Failure error={error} />}
    </div>
  );
}

function Form(props: {
  label: string;
  submit: string;
  rows: number;
  text: string;
  isOptional: boolean;
  hasFocus: boolean;
  busy: boolean;
  onChange: (text: string) => void;
  onSubmit: () => Promise<void>;
  onClosed: () => void;
}) {
  const isBlank = props.text.trim() === "";
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if ((isBlank && !props.isOptional) || props.busy) return;
    return props.onSubmit();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void submit(event);
    // While an input method composes text, Escape cancels only the composition.
    if (event.key === "Escape" && !props.busy && !event.nativeEvent.isComposing) props.onClosed();
  };
  return (
    <form className={styles.review} onSubmit={submit}>
      <Textarea
        label={props.label}
        dir="auto"
        autoFocus={props.hasFocus}
        autosize
        minRows={props.rows}
        maxRows={12}
        value={props.text}
        onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={pageStyles.actions}>
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
