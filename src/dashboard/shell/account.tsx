import { UnstyledButton } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { Link } from "wouter";
import { HELP } from "../palette/help";
import { signOut, useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Icon } from "../ui/icon";
import { useTask } from "../ui/task";
import styles from "./shell.module.css";

/** Links to the API documentation, the signed-in member, and the sign-out button. */
export function Account() {
  const { email, name } = useViewer();
  const { busy, error, run } = useTask();
  return (
    <div className={styles.account}>
      <ul className={styles.help} aria-label="Help">
        {HELP.map(({ href, title }) => (
          <li key={href}>
            <a href={href} target="_blank" rel="noopener">
              {title}
            </a>
          </li>
        ))}
      </ul>
      {error !== undefined && <Failure error={error} />}
      <div className={styles.member}>
        <p className={styles.email}>
          <span className="visually-hidden">Signed in as </span>
          <Link href="/settings/profile" title={email}>
            <bdi>{name ?? email}</bdi>
          </Link>
        </p>
        <UnstyledButton
          className={styles.iconButton}
          aria-label="Sign out"
          title="Sign out"
          disabled={busy}
          onClick={() => run(() => signOut())}
        >
          <Icon of={IconLogout} size={16} />
        </UnstyledButton>
      </div>
    </div>
  );
}
