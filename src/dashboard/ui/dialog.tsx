import { Modal } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import styles from "./dialog.module.css";

/**
 * A dialog that opens as it is put into the page. It takes the focus and gives it back where it came from, or to the
 * page's heading where that is gone.
 * @param mayClose asked before it closes, however that was wished for
 * @param onClosed called when it is gone: the time to take it out of the page
 */
export function Dialog(props: {
  title: string;
  size?: string;
  mayClose?: () => boolean;
  onClosed: () => void;
  children: (close: () => void) => ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  useEffect(giveFocusBack, []);
  const close = () => {
    if (props.mayClose?.() ?? true) setOpened(false);
  };
  return (
    <Modal.Root
      opened={opened}
      onClose={close}
      onExitTransitionEnd={props.onClosed}
      size={props.size ?? "md"}
      centered
      lockScroll={false}
      returnFocus={false}
      transitionProps={{ duration: 120, transition: "fade" }}
    >
      <Modal.Overlay />
      <Modal.Content classNames={{ inner: styles.inner }}>
        {/* Not Modal.Header, which would be a second banner of the page. */}
        <div className={styles.header}>
          <Modal.Title className={styles.title}>{props.title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{props.children(() => setOpened(false))}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Unless another dialog has it by then. */
function giveFocusBack() {
  const from = document.activeElement;
  return () => {
    if (document.activeElement !== document.body) return;
    const place = from?.isConnected && from !== document.body ? from : document.querySelector("h1");
    if (place instanceof HTMLElement) place.focus({ preventScroll: true });
  };
}

/** What a dialog ends with. */
export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <div className={styles.buttons}>{children}</div>
);
