import { NativeSelect } from "@mantine/core";
import { useListAddress } from "./list-address";

/**
 * A filter by one of several values, kept in the URL.
 * @param name the name of the filter in the URL
 * @param all the label for no filter
 * @param labelOf returns the label of a value in the URL that is not an option, such as a removed member
 */
export function FilterSelect(props: {
  name: string;
  label: string;
  all: string;
  options: readonly { value: string; label: string }[];
  labelOf?: (value: string) => string;
}) {
  const { name, labelOf } = props;
  const address = useListAddress();
  const value = address.get(name);
  const options = [{ value: "", label: props.all }, ...props.options];
  if (labelOf && !options.some((option) => option.value === value))
    options.push({ value, label: labelOf(value) });
  return (
    <NativeSelect
      label={props.label}
      data={options}
      value={address.oneOf(name, options)}
      onChange={({ currentTarget }) => address.filter({ [name]: currentTarget.value })}
    />
  );
}
