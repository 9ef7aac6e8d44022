import { Alert } from "@mantine/core";
import { Link } from "wouter";
import { useConnection } from "../api/connection";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { Time } from "../ui/time";
import styles from "./shell.module.css";

/** What concerns every page: no connection, a deactivated organization. */
export const Notices = () => (
  <>
    <div role="status">{useConnection() === "lost" && <Offline />}</div>
    <Deactivated />
  </>
);

const Offline = () => (
  <Alert className={styles.notice} color="yellow" role="note" icon={<Icon name="offline" />}>
    The gateway does not answer. What you see may be out of date; the page tries again by itself.
  </Alert>
);

function Deactivated() {
  const { organization, manages } = useViewer();
  if (organization.deactivatedAt === null) return null;
  return (
    <Alert className={styles.notice} color="yellow" role="note" icon={<Icon name="lock" />}>
      <strong>{organization.name}</strong> was deactivated <Time value={organization.deactivatedAt} />: none
      of its API keys resolves, and nothing can be changed but by revoking keys.{" "}
      {manages ? (
        <Link href="/organization">Reactivate it</Link>
      ) : (
        "A member with the permission config:manage can reactivate it."
      )}
    </Alert>
  );
}
