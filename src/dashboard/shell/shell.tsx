import { ActionIcon } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { Account } from "./account";
import { Nav } from "./nav";
import { Notices } from "./notices";
import styles from "./shell.module.css";
import { Wordmark } from "./wordmark";

/** What stands around every page: where one can go, who one is, and what concerns the whole organization. */
export function Shell({ children }: { children: ReactNode }) {
  const { organization } = useViewer();
  const [open, setOpen] = useState(false);
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever goes somewhere is done with the menu
  useEffect(() => setOpen(false), [path]);

  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        Skip to the content
      </a>
      <header className={styles.side}>
        <div className={styles.brand}>
          <Wordmark organization={organization.name} />
          <ActionIcon
            className={styles.burger}
            variant="default"
            size="lg"
            aria-label="Menu"
            aria-expanded={open}
            aria-controls="menu"
            onClick={() => setOpen(!open)}
          >
            <Icon name={open ? "close" : "menu"} />
          </ActionIcon>
        </div>
        <div id="menu" className={styles.menu} data-open={open}>
          <Nav />
          <Account />
        </div>
      </header>
      <main id="content" className={styles.content} tabIndex={-1}>
        <Notices />
        {children}
      </main>
    </div>
  );
}
