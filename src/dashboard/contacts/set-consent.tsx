import { change } from "../api/client";
import { FormDialog } from "../ui/form-dialog";
import { type ConsentState, SetConsentDocument } from "./documents.generated";

/** A consent change that applies to all addresses of a contact. */
export interface Change {
  topic: string;
  title: string;
  /** True if the topic stands for all messages. */
  isAll: boolean;
  state: ConsentState;
}

/** Changes a consent after a confirmation, because the earlier evidence and canceled messages are lost. */
export const SetConsent = ({
  id,
  topic,
  title,
  isAll,
  state,
  onClosed,
}: Change & { id: string; onClosed: () => void }) => (
  <FormDialog
    title={state === "in" ? `Opt in: ${title}?` : `Opt out: ${title}?`}
    submit={state === "in" ? "Opt in" : "Opt out"}
    isDestructive={state === "out"}
    onClosed={onClosed}
    onSubmit={() => change(SetConsentDocument, { id, topic, state })}
    done={state === "in" ? `Opted in: ${title}.` : `Opted out: ${title}.`}
  >
    <p>
      {state === "in"
        ? "Only do this if the contact has agreed. It applies to all addresses and replaces earlier opt-outs."
        : `Applies to all addresses. Queued, scheduled and proposed messages ${isAll ? "" : "about this topic "}are canceled. This can’t be undone.`}
    </p>
  </FormDialog>
);
