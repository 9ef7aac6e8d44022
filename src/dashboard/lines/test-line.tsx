import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { problemOf } from "../api/api-error";
import { change } from "../api/client";
import { Dialog, DialogButtons } from "../ui/dialog";
import dialogStyles from "../ui/dialog.module.css";
import { Failure } from "../ui/failure";
import { Outcome, type TestOutcome } from "../ui/outcome";
import { useTask } from "../ui/task";
import { type LineFragment, TestLineDocument } from "./documents.generated";

const ADDRESS_MAX_LENGTH = 254;

/** Sends a test message and shows the result. */
export const TestLine = ({ line, onClosed }: { line: LineFragment; onClosed: () => void }) => (
  <Dialog title={`Send a test message on ${line.name}`} onClosed={onClosed}>
    {(close) => <Form line={line} close={close} />}
  </Dialog>
);

function Form({ line, close }: { line: LineFragment; close: () => void }) {
  const { busy, error, run, clearError } = useTask();
  const [outcome, setOutcome] = useState<TestOutcome>();
  const problem = problemOf(error, "to");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const to = String(new FormData(event.currentTarget).get("to") ?? "") || null;
    setOutcome(undefined);
    return run(async () => setOutcome((await change(TestLineDocument, { id: line.id, to })).testLine));
  };
  return (
    <form onSubmit={submit} className={dialogStyles.form}>
      <p>Sends one message now, even if the line is paused.</p>
      {line.kind !== "local" && (
        <TextInput
          name="to"
          label={line.kind === "email" ? "To" : "To (optional)"}
          placeholder={line.kind === "email" ? "you@example.com" : "An address that your bridge knows"}
          maxLength={ADDRESS_MAX_LENGTH}
          required={line.kind === "email"}
          withAsterisk={false}
          onChange={clearError}
          error={problem}
          data-autofocus
        />
      )}
      <div role="status">{outcome && <Outcome {...outcome} />}</div>
      {error !== undefined && problem === undefined && <Failure error={error} />}
      <DialogButtons>
        <Button variant="default" onClick={close}>
          Close
        </Button>
        <Button type="submit" loading={busy}>
          {outcome ? "Send again" : "Send test message"}
        </Button>
      </DialogButtons>
    </form>
  );
}
