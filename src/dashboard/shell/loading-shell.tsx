import { Skeleton } from "@mantine/core";
import styles from "./shell.module.css";

/** The outline of a page while the session is loading. */
export const LoadingShell = () => (
  <div className={styles.shell} aria-busy="true">
    <div className={styles.side} />
    <main className={styles.content}>
      <p className="visually-hidden" role="status">
        Loading
      </p>
      <Skeleton height={30} width={200} mb="xl" />
      <Skeleton height={260} radius="lg" />
    </main>
  </div>
);
