import { IconAlertTriangle, IconLock, IconWifiOff } from "@tabler/icons-react";
import { useEffect } from "react";
import { Link } from "wouter";
import { reloadFailed, useHasOutdatedData } from "../api/client";
import { connection } from "../api/connection";
import { Managers } from "../members/managers";
import { useViewer } from "../session/session";
import { Notice } from "../ui/notice";
import styles from "./shell.module.css";

/** Notices on every page that data may be out of date or that the organization is deactivated. */
export const Notices = () => (
  <>
    <div role="status">
      <Outdated />
    </div>
    <Deactivated />
  </>
);

function Outdated() {
  const isLost = connection.use() === "lost";
  const hasOutdatedData = useHasOutdatedData();
  useEffect(() => {
    if (!isLost) void reloadFailed();
  }, [isLost]);
  if (!isLost && !hasOutdatedData) return null;
  return (
    <Notice className={styles.notice} tone="warn" role="note" icon={isLost ? IconWifiOff : IconAlertTriangle}>
      {isLost
        ? "Can’t reach the server. Data may be out of date. Retrying…"
        : "Some data can’t be reloaded and may be out of date. Retrying…"}
    </Notice>
  );
}

function Deactivated() {
  const { organization, manages } = useViewer();
  if (organization.deactivatedAt === null) return null;
  return (
    <Notice className={styles.notice} tone="warn" role="note" icon={IconLock}>
      <strong>{organization.name}</strong> is deactivated. API keys are rejected. Keys can still be revoked,
      but everything else is read-only.{" "}
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
