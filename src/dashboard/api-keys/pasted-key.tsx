import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useListAddress } from "../ui/list-address";
import { Notice } from "../ui/notice";
import type { KeyFragment } from "./documents.generated";
import styles from "./key-list.module.css";

/**
 * Shown after a whole key is pasted into a search. Offers to revoke the key if it belongs to the
 * organization.
 * @param keys the matching keys; undefined while they are loading
 */
export function PastedKey(props: {
  keys: readonly KeyFragment[] | undefined;
  onRevoke: (key: KeyFragment) => void;
}) {
  const { keys, onRevoke } = props;
  const address = useListAddress();
  if (address.get("pasted") === "" || keys === undefined) return null;
  const key = keys.find(({ hint }) => hint === address.get("search"));
  return (
    <Notice className={styles.pasted} tone="warn" role="alert" icon={IconAlertTriangle}>
      <p>
        You pasted a whole API key. Everything but the prefix was removed before anything was sent.{" "}
        {key === undefined && "No key in this organization has this prefix."}
        {key?.state === "active" && "Revoke it if others may have seen it."}
        {key !== undefined && key.state !== "active" && `It is ${key.state} and no longer works.`}
      </p>
      {key?.state === "active" && (
        <Button size="xs" color="red" onClick={() => onRevoke(key)}>
          Revoke {key.name}…
        </Button>
      )}
    </Notice>
  );
}
