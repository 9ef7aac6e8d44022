import { IconLock, IconWifiOff } from "@tabler/icons-react";
import { Link } from "wouter";
import { connection } from "../api/connection";
import { Managers } from "../members/managers";
import { useViewer } from "../session/session";
import { Notice } from "../ui/notice";
import styles from "./shell.module.css";

/** Notices on every page: the server does not respond, or the organization is deactivated. */
export const Notices = () => (
  <>
    <div role="status">{connection.use() === "lost" && <Offline />}</div>
    <Deactivated />
  </>
);

const Offline = () => (
  <Notice className={styles.notice} tone="warn" role="note" icon={IconWifiOff}>
    Can’t reach the server. Data may be out of date. Retrying…
  </Notice>
);

function Deactivated() {
  const { organization, manages } = useViewer();
  if (organization.deactivatedAt === null) return null;
  return (
    <Notice className={styles.notice} tone="warn" role="note" icon={IconLock}>
      <strong>{organization.name}</strong> is deactivated. API keys are rejected and everything is read-only;
      keys can still be revoked.{" "}
      {manages ? (
        <Link href="/settings/organization">Reactivate</Link>
      ) : (
        <>
          Ask <Managers /> to reactivate it.
        </>
      )}
    </Notice>
  );
}
