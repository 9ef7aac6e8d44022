import { Link, useRoute } from "wouter";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import styles from "./shell.module.css";

/** The pages that the member may see. */
export function Nav() {
  const { manages } = useViewer();
  return (
    <nav aria-label="Dashboard">
      <ul className={styles.links}>
        <Item href="/" icon="overview" text="Overview" />
        <li>
          <p id="nav-settings" className={styles.group}>
            Settings
          </p>
          <ul className={styles.links} aria-labelledby="nav-settings">
            {manages && <Item href="/settings/api-keys" icon="key" text="API keys" />}
            {manages && <Item href="/audit-log" icon="log" text="Audit log" />}
            <Item href="/organization" icon="organization" text="Organization" />
          </ul>
        </li>
      </ul>
    </nav>
  );
}

function Item({
  href,
  icon,
  text,
}: {
  href: string;
  icon: Parameters<typeof Icon>[0]["name"];
  text: string;
}) {
  const [current] = useRoute(href);
  return (
    <li>
      <Link href={href} className={styles.link} aria-current={current ? "page" : undefined}>
        <Icon name={icon} />
        {text}
      </Link>
    </li>
  );
}
