import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import filterStyles from "./filters.module.css";
import { Icon } from "./icon";
import { useListAddress } from "./list-address";
import { SecretNote } from "./pasted-secret";
import { type PastedSecret, secretIn } from "./secrets";

/** Delay between the last key press and the search (ms). */
const DEBOUNCE_MS = 200;

/** A filter by text, kept in the URL under its name. */
export function SearchFilter({
  name,
  ...input
}: {
  name: string;
  label: string;
  maxLength: number;
  className?: string | undefined;
}) {
  const address = useListAddress();
  return (
    <Search
      {...input}
      value={address.get(name).slice(0, input.maxLength)}
      onSearch={(typed) => address.filter({ [name]: typed }, { replace: true })}
    />
  );
}

/**
 * A list filter that searches as the user types. Replaces a secret with its hint, even in the field.
 * @param onKey searches for the hint of a pasted API key; if omitted, a note links to the API keys
 */
export function Search(props: {
  label: string;
  value: string;
  maxLength: number;
  className?: string | undefined;
  onSearch: (text: string) => void;
  onKey?: (hint: string) => void;
}) {
  const { value, onKey } = props;
  const [text, setText] = useState(value);
  const [secret, setSecret] = useState<PastedSecret>();
  const search = useDebouncedCallback((typed: string, pasted: PastedSecret | undefined) => {
    if (onKey !== undefined && pasted !== undefined && pasted.hint !== "") onKey(pasted.hint);
    else if (typed.trim() !== value) props.onSearch(typed.trim());
  }, DEBOUNCE_MS);
  // Follows URL changes by other controls and the browser history, but keeps a trailing space while the user types.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value]);
  const onChange = (typed: string) => {
    const pasted = secretIn(typed);
    const kept = pasted?.hint ?? typed;
    setSecret(pasted);
    setText(kept);
    search(kept, pasted);
  };
  return (
    <>
      <TextInput
        className={props.className}
        type="search"
        label={props.label}
        maxLength={props.maxLength}
        leftSection={<Icon of={IconSearch} size={16} />}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {secret !== undefined && (secret.hint === "" || onKey === undefined) && (
        <SecretNote secret={secret} className={filterStyles.only} />
      )}
    </>
  );
}
