import { ActionIcon } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
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
  const burger = useRef<HTMLButtonElement>(null);
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever goes somewhere is done with the menu
  useEffect(() => setOpen(false), [path]);

  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== "Escape" || !open) return;
    setOpen(false);
    burger.current?.focus();
  };

  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        Skip to the content
      </a>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu, wherever in it the focus is */}
      <header className={styles.side} onKeyDown={onKeyDown}>
        <div className={styles.brand}>
          <Wordmark organization={organization.name} />
          <ActionIcon
            ref={burger}
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
