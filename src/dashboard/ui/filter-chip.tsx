import { IconX } from "@tabler/icons-react";
import styles from "./filter-chip.module.css";
import { Icon } from "./icon";
import type { ListAddress } from "./list-address";

/** A filter set by a link to the list, with a button to remove it; renders nothing if the filter is not set. */
export const FilterChip = (props: { address: ListAddress; name: string; label: string; value?: string }) =>
  props.address.get(props.name) !== "" && (
    <button
      type="button"
      className={styles.chip}
      aria-label={`Clear the ${props.label.toLowerCase()} filter`}
      onClick={() => props.address.filter({ [props.name]: "" })}
    >
      <span>
        {props.label}
        {props.value !== undefined && (
          <>
            : <bdi>{props.value}</bdi>
          </>
        )}
      </span>
      <Icon of={IconX} size={14} />
    </button>
  );
