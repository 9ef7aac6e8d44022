import { TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { Icon } from "./icon";

/** How long a pause in typing is waited for (ms). */
const PAUSE_MS = 200;

/** A field that searches as one types. @param onSearch called after a pause */
export function Search(props: {
  label: string;
  value: string;
  maxLength: number;
  className?: string;
  onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(props.value);
  const latest = useRef(props);
  latest.current = props;
  // The address may change by other ways: the browser's Back, a button that clears the filters.
  useEffect(() => setText(props.value), [props.value]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text.trim() !== latest.current.value) latest.current.onSearch(text.trim());
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      className={props.className}
      type="search"
      label={props.label}
      maxLength={props.maxLength}
      leftSection={<Icon name="search" size={16} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
