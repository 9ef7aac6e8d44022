import { Button } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { Snippet } from "../ui/snippet";
import styles from "./secret-dialog.module.css";
import { forgetSecret, type NewSecret, type SecretKind, useShownSecret } from "./shown-secret";

/** The dialog's wording for each kind of secret. */
const WORDS: Readonly<Record<SecretKind, { it: string; copies: string; again: string }>> = {
  key: { it: "key", copies: "the API key", again: "rotate it to get a new one" },
  signing: { it: "secret", copies: "the signing secret", again: "rotate it to get a new one" },
  invitation: { it: "link", copies: "the link", again: "invite them again to get a new one" },
};

/** Shows a new secret above the current page. */
export function SecretDialog() {
  const shown = useShownSecret();
  return shown && <Secret shown={shown} />;
}

/** A dialog that shows a secret; it closes once the secret has been copied, or after a warning. */
function Secret({ shown }: { shown: NewSecret }) {
  const { secret, title, name, agent, kind = "key", signs, note, isDelivered = false } = shown;
  const words = WORDS[kind];
  const copied = useRef(isDelivered);
  const [asking, setAsking] = useState(false);
  const onCopy = () => {
    copied.current = true;
    setAsking(false);
  };
  useWindowEvent("beforeunload", (event) => {
    if (!copied.current) event.preventDefault();
  });

  return (
    <Dialog
      title={title}
      size="xl"
      mayClose={() => {
        setAsking(!copied.current);
        return copied.current;
      }}
      onClosed={forgetSecret}
    >
      {(close) => (
        <>
          <p className={styles.once}>
            <Icon of={IconAlertTriangle} />
            <span>Copy this {words.it} now. For security reasons, you won’t be able to see it again.</span>
          </p>
          <p className={`${styles.label} ${styles.name}`}>
            {kind === "signing" ? <>Signing secret of {name}</> : name}
          </p>
          <Snippet what={words.copies} text={secret} autoFocus onCopy={onCopy} />
          {note !== undefined && <p className={styles.note}>{note}</p>}
          {kind === "signing" && (
            <>
              <p className={styles.label}>
                {signs ? "Sign the requests that you post to the line" : "Verify requests"} with it, for
                example in Node.js:
              </p>
              <Snippet what="the example" text={signs ? signExample(signs) : VERIFY} />
            </>
          )}
          {agent !== undefined && (
            <>
              <p className={styles.label}>Try it – this should return {agent}:</p>
              <Snippet what="the command" text={whoamiCommand(secret)} onCopy={onCopy} />
            </>
          )}
          {kind === "key" && (
            <>
              <p className={styles.label}>Connect an MCP client with it, for example Claude Code:</p>
              <Snippet what="the MCP command" text={mcpCommand(secret)} onCopy={onCopy} />
            </>
          )}
          {asking ? (
            <ConfirmLeaving words={words} onStay={() => setAsking(false)} onLeave={close} />
          ) : (
            <DialogButtons>
              <Button onClick={() => (copied.current ? close() : setAsking(true))}>Done</Button>
            </DialogButtons>
          )}
        </>
      )}
    </Dialog>
  );
}

const VERIFY = `import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SIGNING_SECRET);
// Throws unless the signature and the timestamp are valid. rawBody is the text of the request, before any parsing.
const verified = webhook.verify(rawBody, request.headers);`;

const signExample = ({ url, contentType }: { url: string; contentType: string }): string =>
  `import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SIGNING_SECRET);
const [id, time] = [crypto.randomUUID(), new Date()];
// body is the text of the request.
await fetch("${url}", {
  method: "POST",
  headers: {
    "content-type": "${contentType}",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(time.getTime() / 1000)),
    "webhook-signature": webhook.sign(id, time, body),
  },
  body,
});`;

const whoamiCommand = (secret: string): string =>
  `curl -H "Authorization: Bearer ${secret}" ${window.location.origin}/agent/whoami`;

const mcpCommand = (secret: string): string =>
  `claude mcp add --transport http gateway ${window.location.origin}/mcp --header "Authorization: Bearer ${secret}"`;

function ConfirmLeaving(props: {
  words: { it: string; again: string };
  onStay: () => void;
  onLeave: () => void;
}) {
  const { words, onStay, onLeave } = props;
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <>
      <p role="alert" className={styles.unsaved}>
        You haven’t copied this {words.it}. If you close now, you’ll have to {words.again}.
      </p>
      <DialogButtons>
        <Button variant="default" onClick={onLeave}>
          Close without copying
        </Button>
        <Button ref={stay} onClick={onStay}>
          Go back
        </Button>
      </DialogButtons>
    </>
  );
}
