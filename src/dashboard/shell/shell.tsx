import { UnstyledButton } from "@mantine/core";
import { IconMenu2, IconX } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { PaletteButton } from "../palette/palette-button";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { Wordmark } from "../ui/wordmark";
import { Account } from "./account";
import { Nav } from "./nav";
import { Notices } from "./notices";
import styles from "./shell.module.css";
import { Shortcuts } from "./shortcuts";

/** The frame of every page: navigation, account and notices. */
export function Shell({ children }: { children: ReactNode }) {
  const { organization } = useViewer();
  const [open, setOpen] = useState(false);
  const burger = useRef<HTMLButtonElement>(null);
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the menu when a page is opened
  useEffect(() => setOpen(false), [path]);

  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== "Escape" || !open) return;
    setOpen(false);
    burger.current?.focus();
  };

  return (
    <div className={styles.shell}>
      <Shortcuts />
      <a className={styles.skip} href="#content">
        Skip to main content
      </a>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from anywhere in it */}
      <header className={styles.side} onKeyDown={onKeyDown}>
        <div className={styles.brand}>
          <Wordmark organization={organization.name} />
          <UnstyledButton
            ref={burger}
            className={`${styles.iconButton} ${styles.burger}`}
            aria-label="Menu"
            aria-expanded={open}
            aria-controls="menu"
            onClick={() => setOpen(!open)}
          >
            <Icon of={open ? IconX : IconMenu2} />
          </UnstyledButton>
        </div>
        <div id="menu" className={styles.menu} data-open={open}>
          <PaletteButton />
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
