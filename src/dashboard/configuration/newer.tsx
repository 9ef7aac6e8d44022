import { Alert, Button } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { useMembers } from "../members/use-members";
import { useViewer } from "../session/session";
import { Time } from "../ui/format";
import { Icon } from "../ui/icon";
import styles from "./configuration.module.css";
import type { Documents } from "./documents";

/** Says who has saved or published since the page was opened; after several saves, only who saved last. */
export function Newer({ live, draft, shown, onShow }: Documents & { shown: Documents; onShow: () => void }) {
  const { email } = useViewer();
  const { nameOfActor } = useMembers();
  const isPublication = live.version !== shown.live.version;
  const actor = isPublication ? live.publishedBy : draft.updatedBy;
  const name = <strong>{actor === email ? "You" : nameOfActor(actor)}</strong>;
  const time = <Time value={isPublication ? live.publishedAt : draft.updatedAt} />;
  return (
    <Alert color="yellow" role="alert" mb="lg" icon={<Icon of={IconUsers} />}>
      <p className={styles.sentence}>
        {isPublication || draft.revision <= shown.draft.revision + 1 ? (
          <>
            {name} {isPublication ? `published version ${live.version}` : "saved the draft"} {time}, after you
            opened this page.
          </>
        ) : (
          <>
            The draft was saved several times after you opened this page. {name} saved it last, {time}.
          </>
        )}
      </p>
      <Button size="xs" onClick={onShow}>
        Show the changes
      </Button>
    </Alert>
  );
}
