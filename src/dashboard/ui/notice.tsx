import type { Icon as TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Icon } from "./icon";
import styles from "./notice.module.css";

/** A notice with an icon; `role="alert"` announces it. */
export const Notice = (props: {
  tone: "bad" | "warn";
  role: "alert" | "note";
  icon: TablerIcon;
  className?: string | undefined;
  children: ReactNode;
}) => (
  <div role={props.role} data-tone={props.tone} className={`${styles.notice} ${props.className ?? ""}`}>
    <Icon of={props.icon} size={20} />
    <div className={styles.content}>{props.children}</div>
  </div>
);
