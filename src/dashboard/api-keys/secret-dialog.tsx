import { Button } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { Snippet } from "../ui/snippet";
import styles from "./dialogs.module.css";
import { forgetSecret, type NewKey, useShownSecret } from "./shown-secret";

/** Shows the secret of a new key above whichever page is open. */
export function SecretDialog() {
  const newKey = useShownSecret();
  return newKey && <Secret newKey={newKey} />;
}

/** Closes once the secret was copied, or after a warning. */
function Secret({ newKey }: { newKey: NewKey }) {
  const { secret, title, name, agent } = newKey;
  const copied = useRef(false);
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
            <span>Copy this key now. For security reasons, you won’t be able to see it again.</span>
          </p>
          <p className={styles.label}>{name}</p>
          <Snippet what="the API key" text={secret} autoFocus onCopy={onCopy} />
          <p className={styles.label}>Try it — this should return {agent}:</p>
          <Snippet what="the command" text={whoamiCommand(secret)} onCopy={onCopy} />
          {asking ? (
            <ConfirmLeaving onStay={() => setAsking(false)} onLeave={close} />
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

const whoamiCommand = (secret: string): string =>
  `curl -H "Authorization: Bearer ${secret}" ${window.location.origin}/agent/whoami`;

function ConfirmLeaving({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <>
      <p role="alert" className={styles.unsaved}>
        You haven’t copied this key. If you close now, you’ll have to rotate it to get a new one.
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
