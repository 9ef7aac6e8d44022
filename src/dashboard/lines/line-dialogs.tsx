import { TextInput } from "@mantine/core";
import { PAUSED_REASON_MAX_LENGTH } from "../../features/lines/line.limits";
import { change } from "../api/client";
import { useIdempotencyKey } from "../api/idempotency";
import { showSecret } from "../secrets/shown-secret";
import "../secrets/secret-dialog";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import {
  ArchiveLineDocument,
  type LineFragment,
  PauseLineDocument,
  ResumeLineDocument,
  RotateLineSecretDocument,
  SetDefaultLineDocument,
} from "./documents.generated";
import type { LineAction } from "./line-actions";
import { TestLine } from "./test-line";

type Props = { line: LineFragment; onClosed: () => void };

export function LineDialog({ action, ...props }: Props & { action: LineAction }) {
  if (action === "test") return <TestLine {...props} />;
  if (action === "pause") return <PauseLine {...props} />;
  if (action === "rotate") return <RotateSecret {...props} />;
  return <Confirm {...CONFIRMATIONS[action]} {...props} />;
}

/** Confirmations and success messages for the actions that need no further input. */
const CONFIRMATIONS = {
  resume: {
    document: ResumeLineDocument,
    title: (name: string) => `Resume ${name}?`,
    submit: "Resume",
    text: "Messages waiting on this line will be sent.",
    done: (name: string) => `Resumed ${name}.`,
  },
  default: {
    document: SetDefaultLineDocument,
    title: (name: string) => `Make ${name} the default line?`,
    submit: "Make default",
    text: "The agent uses the default line for new conversations and messages that don’t specify another line.",
    done: (name: string) => `${name} is now the default line.`,
  },
  archive: {
    document: ArchiveLineDocument,
    title: (name: string) => `Archive ${name}?`,
    submit: "Archive",
    text: "The line sends nothing and rejects messages from contacts until you resume it. Its name stays reserved.",
    done: (name: string) => `Archived ${name}.`,
  },
} as const;

function Confirm(props: Props & (typeof CONFIRMATIONS)[keyof typeof CONFIRMATIONS]) {
  const { id, name } = props.line;
  return (
    <FormDialog
      title={props.title(name)}
      submit={props.submit}
      isDestructive={props.submit === "Archive"}
      onSubmit={() => change<unknown, { id: string }>(props.document, { id })}
      done={props.done(name)}
      onClosed={props.onClosed}
    >
      <p>{props.text}</p>
    </FormDialog>
  );
}

const PauseLine = ({ line, onClosed }: Props) => (
  <FormDialog
    title={`Pause ${line.name}?`}
    submit="Pause"
    onSubmit={(form) =>
      change(PauseLineDocument, { id: line.id, reason: String(form.get("reason")) || null })
    }
    done={`Paused ${line.name}.`}
    onClosed={onClosed}
  >
    {({ field }) => (
      <>
        <p>Messages wait until you resume the line. Contacts can still write to it.</p>
        <TextInput
          {...field("reason")}
          label="Reason (optional)"
          placeholder="Maintenance"
          maxLength={PAUSED_REASON_MAX_LENGTH}
          data-autofocus
        />
      </>
    )}
  </FormDialog>
);

/** Creates the first signing secret of a line, or rotates it. */
function RotateSecret({ line, onClosed }: Props) {
  const keyOf = useIdempotencyKey();
  const isFirst = line.secretGeneration === 0;
  const submit = async () => {
    const { rotateLineSecret } = await change(
      RotateLineSecretDocument,
      { id: line.id, idempotencyKey: keyOf(line.id) },
      { waitUntilShown: false },
    );
    const secret = rotateLineSecret.signingSecret;
    const done = isFirst ? "Signing secret created" : "Signing secret rotated";
    // Only the first response contains the secret, and that response was lost.
    if (secret === null) toast(`${done}. Rotate it to see a new one.`);
    else
      showSecret({
        ...{ secret, title: done, name: line.name, kind: "signing" },
        // The gateway signs requests only for webhook lines.
        ...(line.kind !== "webhook" && {
          signs: {
            url: `${window.location.origin}/inbound/${line.id}`,
            contentType: line.kind === "email" ? "message/rfc822" : "application/json",
          },
        }),
      });
  };
  return (
    <FormDialog
      title={
        isFirst ? `Create a signing secret for ${line.name}?` : `Rotate the signing secret for ${line.name}?`
      }
      submit={isFirst ? "Create signing secret" : "Rotate secret"}
      onSubmit={submit}
      onClosed={onClosed}
    >
      <p>
        {isFirst
          ? "We’ll create a secret and show it only once. Messages and receipts that you post to the line must be signed with it."
          : "We’ll create a new secret and show it only once. The previous one stays valid for 24 hours, so you can switch over."}
      </p>
    </FormDialog>
  );
}
