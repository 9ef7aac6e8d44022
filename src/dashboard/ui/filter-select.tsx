import { NativeSelect } from "@mantine/core";
import type { ListAddress } from "./list-address";

/**
 * A filter by one of several values, kept in the URL.
 * @param name the name of the filter in the URL
 * @param all the label for no filter
 */
export const FilterSelect = (props: {
  address: ListAddress;
  name: string;
  label: string;
  all: string;
  options: readonly { value: string; label: string }[];
}) => (
  <NativeSelect
    label={props.label}
    data={[{ value: "", label: props.all }, ...props.options]}
    value={props.address.oneOf(props.name, props.options)}
    onChange={({ currentTarget }) => props.address.filter({ [props.name]: currentTarget.value })}
  />
);
