import { Alert, Button } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { useMembers } from "../members/use-members";
import { useViewer } from "../session/session";
import { Time } from "../ui/format";
import { Icon } from "../ui/icon";
import styles from "./configuration.module.css";
import type { Documents } from "./documents";

/**
 * Says who has saved or published since the page was opened.
 * @param isPublication true if another version is live
 */
export function Newer(props: Documents & { isPublication: boolean; onShow: () => void }) {
  const { live, draft, isPublication, onShow } = props;
  const { email } = useViewer();
  const { nameOfActor } = useMembers();
  const actor = isPublication ? live.publishedBy : draft.updatedBy;
  return (
    <Alert color="yellow" role="alert" mb="lg" icon={<Icon of={IconUsers} />}>
      <p className={styles.sentence}>
        <strong>{actor === email ? "You" : nameOfActor(actor)}</strong>{" "}
        {isPublication ? `published version ${live.version}` : "saved the draft"}{" "}
        <Time value={isPublication ? live.publishedAt : draft.updatedAt} />, after you opened this page.
      </p>
      <Button size="xs" onClick={onShow}>
        Show the changes
      </Button>
    </Alert>
  );
}
