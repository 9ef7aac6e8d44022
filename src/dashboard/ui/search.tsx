import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { Icon } from "./icon";

/** Search this long after the last key press (ms). */
const DEBOUNCE_MS = 200;

/** A field that searches while the user types. */
export function Search(props: {
  label: string;
  value: string;
  maxLength: number;
  className?: string;
  onSearch: (text: string) => void;
}) {
  const { value } = props;
  const [text, setText] = useState(value);
  const search = useDebouncedCallback((typed: string) => {
    if (typed.trim() !== value) props.onSearch(typed.trim());
  }, DEBOUNCE_MS);
  // The URL also changes by the browser's Back and by buttons. A space between two words is still being typed.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value]);
  return (
    <TextInput
      className={props.className}
      type="search"
      label={props.label}
      maxLength={props.maxLength}
      leftSection={<Icon of={IconSearch} size={16} />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
}
