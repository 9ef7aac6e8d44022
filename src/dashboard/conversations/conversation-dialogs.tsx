import { NativeSelect } from "@mantine/core";
import { change } from "../api/client";
import type { TypedDocumentString } from "../api/typed-document";
import { LineField } from "../parts/line-field";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import {
  AssignConversationDocument,
  type ChangeFragment,
  CloseConversationDocument,
  type ConversationFragment,
  HandOffConversationDocument,
  MoveConversationDocument,
  type PendingMessages,
  ReleaseConversationDocument,
} from "./documents.generated";

interface Props {
  conversation: ConversationFragment;
  onClosed: () => void;
}

/** Describes the effect on queued messages: "2 queued messages canceled. One message was already being sent." */
function consequencesOf({ canceled, carried, inFlight }: ChangeFragment): string {
  const messages = (count: number) => `${count} queued ${count === 1 ? "message" : "messages"}`;
  return [
    canceled.length > 0 && `${messages(canceled.length)} canceled.`,
    carried.length > 0 && `${messages(carried.length)} kept.`,
    inFlight !== null && "One message was already being sent.",
  ]
    .filter((sentence) => sentence !== false)
    .join(" ");
}

const report = (done: string, changed: ChangeFragment) => toast(`${done} ${consequencesOf(changed)}`.trim());

/** A dialog that confirms a change without further choices. */
function Confirm<Result extends Record<string, unknown>>(
  props: Props & {
    title: string;
    text: string;
    submit: string;
    done: string;
    isDestructive?: boolean;
    document: TypedDocumentString<Result, { id: string; expectedVersion: number }>;
  },
) {
  const { id, version } = props.conversation;
  return (
    <FormDialog
      title={props.title}
      submit={props.submit}
      {...(props.isDestructive && { isDestructive: true })}
      onClosed={props.onClosed}
      onSubmit={async () => {
        const result = await change(props.document, { id, expectedVersion: version });
        const [changed] = Object.values(result) as ChangeFragment[];
        if (changed !== undefined) report(props.done, changed);
      }}
    >
      <p>{props.text}</p>
    </FormDialog>
  );
}

const HandOff = (props: Props) => (
  <Confirm
    {...props}
    title="Hand off this conversation?"
    text="The agent stops answering here and its queued messages are canceled. You and your team answer until you release the conversation."
    submit="Hand off"
    done="Handed off."
    document={HandOffConversationDocument}
  />
);

const Release = (props: Props) => (
  <Confirm
    {...props}
    title="Release this conversation to the agent?"
    text="All conversations with this contact were handed off together, so the agent answers in all of them again."
    submit="Release"
    done="Released to the agent."
    document={ReleaseConversationDocument}
  />
);

const Close = (props: Props) => (
  <Confirm
    {...props}
    title="Close this conversation?"
    text="Queued messages are canceled. When the contact writes again, a new conversation starts. This can’t be undone."
    submit="Close conversation"
    done="Closed the conversation."
    isDestructive
    document={CloseConversationDocument}
  />
);

const Move = ({ conversation: { id, agentId, contactId, lineName, version }, onClosed }: Props) => (
  <FormDialog
    title="Move to another line"
    submit="Move"
    onClosed={onClosed}
    onSubmit={async (form) => {
      const to = String(form.get("line"));
      const pending = String(form.get("pending")) as PendingMessages;
      const { moveConversation } = await change(MoveConversationDocument, {
        id,
        line: to,
        pending,
        expectedVersion: version,
      });
      report(`Moved to ${to}.`, moveConversation);
    }}
  >
    {({ errorOf }) => (
      <>
        <p>
          Now on <strong>{lineName}</strong>.
        </p>
        <LineField agentId={agentId} contactId={contactId} except={lineName} error={errorOf("line")} />
        <NativeSelect
          name="pending"
          label="Queued messages"
          data={[
            { value: "cancel", label: "Cancel them" },
            { value: "carry", label: "Send them on the new line" },
          ]}
        />
      </>
    )}
  </FormDialog>
);

/**
 * Assigns a conversation to a member, or unassigns it.
 * @param readers the members to select from
 */
export const Assign = (props: Props & { readers: readonly { value: string; label: string }[] }) => {
  const { id, assigneeId } = props.conversation;
  return (
    <FormDialog
      title="Assign this conversation"
      submit="Assign"
      onClosed={props.onClosed}
      onSubmit={async (form) => {
        const memberId = String(form.get("member")) || null;
        await change(AssignConversationDocument, { id, memberId });
        toast(memberId === null ? "Unassigned the conversation." : "Assigned the conversation.");
      }}
    >
      <p>The assignee is responsible for the conversation. Everyone can still write here.</p>
      <NativeSelect
        name="member"
        label="Assigned to"
        data-autofocus
        defaultValue={assigneeId ?? ""}
        data={[{ value: "", label: "Unassigned" }, ...props.readers]}
      />
    </FormDialog>
  );
};

const DIALOGS = { move: Move, handOff: HandOff, release: Release, close: Close };

/** A change to a conversation that requires a dialog. */
export type Action = keyof typeof DIALOGS;

/** The dialog for a change to a conversation. */
export const ConversationDialog = ({ action, ...props }: Props & { action: Action }) => {
  const Dialog = DIALOGS[action];
  return <Dialog {...props} />;
};
