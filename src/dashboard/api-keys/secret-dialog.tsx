import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { Snippet } from "../ui/snippet";
import styles from "./dialogs.module.css";
import { forgetSecret, type Minted, useShownSecret } from "./shown-secret";

/** The secret of a key that was just minted, wherever in the dashboard one may be by then. */
export function SecretDialog() {
  const minted = useShownSecret();
  return minted && <Secret minted={minted} />;
}

/** Shows it until it was copied, or until it was said twice that it is not needed. */
function Secret({ minted }: { minted: Minted }) {
  const { secret, title, name, agent } = minted;
  const copied = useRef(false);
  const [asking, setAsking] = useState(false);
  const onCopy = () => {
    copied.current = true;
    setAsking(false);
  };
  useLeaveGuard(() => !copied.current);

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
            <Icon name="warning" />
            <span>
              The secret of <strong>{name}</strong> is shown this once. Copy it now: nobody can show it again.
            </span>
          </p>
          <p className={styles.label}>API key</p>
          <Snippet what="the API key" text={secret} autoFocus onCopy={onCopy} />
          <p className={styles.label}>Try it: which agent is this key? It should answer {agent}.</p>
          <Snippet what="the command" text={whoamiCommand(secret)} onCopy={onCopy} />
          {asking ? (
            <AskTwice onStay={() => setAsking(false)} onLeave={close} />
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

function AskTwice({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <>
      <p role="alert" className={styles.unsaved}>
        You have not copied the secret. Once this closes it is lost, and the key has to be rotated.
      </p>
      <DialogButtons>
        <Button variant="default" onClick={onLeave}>
          Close without copying
        </Button>
        <Button ref={stay} onClick={onStay}>
          Back to the secret
        </Button>
      </DialogButtons>
    </>
  );
}

/** Has the browser ask before the tab closes or loads another page. */
function useLeaveGuard(isNeeded: () => boolean): void {
  const latest = useRef(isNeeded);
  latest.current = isNeeded;
  useEffect(() => {
    const guard = (event: BeforeUnloadEvent) => {
      if (latest.current()) event.preventDefault();
    };
    window.addEventListener("beforeunload", guard);
    return () => window.removeEventListener("beforeunload", guard);
  }, []);
}
