import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import styles from "./filters.module.css";
import { useListAddress } from "./list-address";

/**
 * The filters of a list. On phones, they are behind a button, except the search and the filters set by links.
 * @param names the names of the filters behind the button, as in the URL
 */
export function Filters(props: { names: readonly string[]; search?: ReactNode; children: ReactNode }) {
  const address = useListAddress();
  const [isOpen, setOpen] = useState(false);
  const count = props.names.filter((name) => address.get(name) !== "").length;
  return (
    <search className={styles.filters} data-open={isOpen}>
      {props.search}
      <Button
        className={styles.toggle ?? ""}
        variant="default"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Filter{count > 0 && ` (${count})`}
      </Button>
      {props.children}
    </search>
  );
}
