import { Alert, Button } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { useState } from "react";
import { useMembers } from "../members/use-members";
import { useViewer } from "../session/session";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Time } from "../ui/format";
import { Icon } from "../ui/icon";
import styles from "./configuration.module.css";
import { TextDiff } from "./diff";
import { textOf } from "./document-text";
import type { Draft, Live } from "./documents";

/**
 * Warns that someone else, or the member in another tab, has saved or published since this edit was started.
 * @param mine the user's text
 * @param onTake discards the edit
 * @param onKeep keeps the edit, so the next save overwrites the other member's changes
 */
export function Conflict(props: {
  mine: string;
  draft: Draft | null;
  live: Live;
  onTake: () => void;
  onKeep: () => void;
}) {
  const { mine, draft, live, onTake, onKeep } = props;
  const { email } = useViewer();
  const { nameOfActor } = useMembers();
  const [compares, setCompares] = useState(false);
  const actor = draft?.updatedBy ?? live.publishedBy;
  const theirs = textOf(draft?.document ?? live.document);
  const isPublished = draft === null;
  const isOwn = actor === email;
  const who = isOwn ? "You" : nameOfActor(actor);
  const buttons = (then: () => void = () => undefined) => (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={() => {
          then();
          onTake();
        }}
      >
        {isOwn ? "Use the other version" : "Use theirs"}
      </Button>
      <Button
        variant="default"
        size="xs"
        onClick={() => {
          then();
          onKeep();
        }}
      >
        Keep mine
      </Button>
    </>
  );
  return (
    <Alert color="yellow" role="alert" icon={<Icon of={IconUsers} />} radius={0}>
      <p className={styles.sentence}>
        <strong>{who}</strong> {isPublished ? `published version ${live.version}` : "saved the draft"}{" "}
        <Time value={draft?.updatedAt ?? live.publishedAt} />
        {isOwn && " elsewhere"}, after you started editing here. Use {isOwn ? "that version" : "theirs"} and
        discard your changes, or keep yours and{" "}
        {isPublished ? "start a new draft without those changes" : "overwrite that draft"} when you save.
      </p>
      <div className={styles.choices}>
        <Button size="xs" onClick={() => setCompares(true)}>
          Compare…
        </Button>
        {buttons()}
      </div>
      {compares && (
        <Dialog title="Compare your changes with theirs" size="xl" onClosed={() => setCompares(false)}>
          {(close) => (
            <>
              <p className={styles.sentence}>
                Lines from {isOwn ? "the other text" : `${who}’s text`} are shown as removed, lines from your
                text here as added:
              </p>
              <div className={styles.inset}>
                <TextDiff label="Difference from theirs to yours" texts={[theirs, mine]} />
              </div>
              <DialogButtons>{buttons(close)}</DialogButtons>
            </>
          )}
        </Dialog>
      )}
    </Alert>
  );
}
