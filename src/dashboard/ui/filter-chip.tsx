import { IconX } from "@tabler/icons-react";
import styles from "./filter-chip.module.css";
import { Icon } from "./icon";
import { useListAddress } from "./list-address";

/** A filter set by a link to the list, with a button to remove it; renders nothing if the filter is not set. */
export function FilterChip({ name, label, value }: { name: string; label: string; value?: string }) {
  const address = useListAddress();
  if (address.get(name) === "") return null;
  return (
    <button
      type="button"
      className={styles.chip}
      aria-label={`Clear the ${label.toLowerCase()} filter`}
      onClick={() => address.filter({ [name]: "" })}
    >
      <span>
        {label}
        {value !== undefined && (
          <>
            : <bdi>{value}</bdi>
          </>
        )}
      </span>
      <Icon of={IconX} size={14} />
    </button>
  );
}
