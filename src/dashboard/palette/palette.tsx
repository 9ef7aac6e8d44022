import { Modal, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconKey, IconLifebuoy, IconPlus, IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { FIND_MAX_LENGTH } from "../../features/find/find.limits";
import { usePolledQuery } from "../api/client";
import { PAGES } from "../pages";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { Name } from "../ui/name";
import { SecretNote } from "../ui/pasted-secret";
import { type PastedSecret, pastedKeyHref, secretIn } from "../ui/secrets";
import { FindDocument } from "./documents.generated";
import { type Entry, foundEntries } from "./found";
import { HELP } from "./help";
import styles from "./palette.module.css";

/** Delay between the last key press and the search (ms). */
const DEBOUNCE_MS = 200;

/** Min length of a search (characters). */
const MIN_LENGTH = 2;

/**
 * Matches the prefix of tokens that are entirely secret. Input with such a prefix is never sent as a search,
 * even while it is being typed.
 */
const SECRET_START = /(?:ag[irst]|whsec)_/i;

/** A dialog for finding pages, resources and documentation by typing or pasting. */
export function Palette({ onClosed }: { onClosed: () => void }) {
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  return (
    <Modal.Root
      opened={opened}
      onClose={() => setOpened(false)}
      onExitTransitionEnd={onClosed}
      yOffset="10vh"
      lockScroll={false}
      transitionProps={{ duration: 80, transition: "fade" }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Go to">
        <Finder close={() => setOpened(false)} />
      </Modal.Content>
    </Modal.Root>
  );
}

/** A combobox with its list (ARIA Authoring Practices, combobox with list autocomplete). */
function Finder({ close }: { close: () => void }) {
  const [text, setText] = useState("");
  const [secret, setSecret] = useState<PastedSecret>();
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const groups = Object.entries(useEntries(text.trim(), secret?.hint)).filter(
    ([, found]) => found.length > 0,
  );
  const entries = groups.flatMap(([, found]) => found);
  // The list may have become shorter since the selection moved.
  const selected = Math.min(at, entries.length - 1);
  const active = useRef<HTMLDivElement>(null);
  const id = useId();
  const optionId = (entry: Entry | undefined) => entry && `${id}${entry.href}`;

  const open = ({ href, isOutside }: Entry) => {
    close();
    if (isOutside) window.open(href, "_blank", "noopener");
    else navigate(href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, nativeEvent } = event;
    const target = { ArrowDown: selected + 1, ArrowUp: selected - 1, Home: 0, End: -1 }[key];
    const entry = entries[selected];
    if (nativeEvent.isComposing || (target === undefined && key !== "Enter")) return;
    event.preventDefault();
    if (target !== undefined) setAt((target + entries.length) % entries.length || 0);
    else if (entry !== undefined) open(entry);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the entry that is now selected
  useEffect(() => void active.current?.scrollIntoView({ block: "nearest" }), [selected]);

  return (
    <>
      <TextInput
        classNames={{ input: styles.input ?? "" }}
        role="combobox"
        aria-label="Go to a page, or find anything"
        aria-expanded
        aria-controls={`${id}list`}
        aria-activedescendant={optionId(entries[selected])}
        aria-autocomplete="list"
        placeholder="Page, name, address, phone or order number, key or ID"
        variant="unstyled"
        size="md"
        maxLength={FIND_MAX_LENGTH}
        leftSection={<Icon of={IconSearch} />}
        value={text}
        onChange={({ currentTarget }) => {
          const pasted = secretIn(currentTarget.value);
          setSecret(pasted);
          setText(pasted?.hint ?? currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        data-autofocus
      />
      {secret?.hint === "" && <SecretNote secret={secret} className={styles.group} />}
      <div id={`${id}list`} role="listbox" aria-label="Results" className={styles.options}>
        {groups.map(([group, found]) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
          <div key={group} role="group" aria-label={group}>
            <p className={styles.group} aria-hidden="true">
              {group}
            </p>
            {found.map((entry) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the focus stays in the text field, which handles the keys
              // biome-ignore lint/a11y/useFocusableInteractive: see above
              <div
                key={entry.href}
                id={optionId(entry)}
                ref={entry === entries[selected] ? active : null}
                role="option"
                aria-selected={entry === entries[selected]}
                className={styles.option}
                onClick={() => open(entry)}
              >
                {entry.icon && <Icon of={entry.icon} />}
                <Name>{entry.title}</Name>
                {entry.hint && <bdi className={styles.hint}>{entry.hint}</bdi>}
              </div>
            ))}
          </div>
        ))}
        {groups.length === 0 && <p className={styles.group}>Nothing found</p>}
      </div>
    </>
  );
}

/**
 * Returns the entries matching the text, by group.
 * @param pasted the hint of a pasted API key, if the text is one
 */
function useEntries(text: string, pasted = ""): Readonly<Record<string, readonly Entry[]>> {
  const { may, manages, deactivated } = useViewer();
  const [search] = useDebouncedValue(text, DEBOUNCE_MS);
  const isSearch = search.length >= MIN_LENGTH && pasted === "" && !SECRET_START.test(search);
  const { data, isPlaceholderData } = usePolledQuery(
    FindDocument,
    { text: search },
    { enabled: isSearch, pollMs: 30_000 },
  );
  // Enter must not open a result for an earlier text.
  const isCurrent = isSearch && search === text && !isPlaceholderData;
  const words = text.toLowerCase().split(/\s+/);
  const matches = ({ title, hint = "" }: Entry) =>
    words.every((word) => `${title} ${hint}`.toLowerCase().includes(word));
  const pages = PAGES.filter(({ icon, permission }) => icon !== undefined && may(permission)).map(
    ({ path, title, group, icon }): Entry => ({ href: path, title, icon, ...(group && { hint: group }) }),
  );
  const actions: Entry[] =
    manages && !deactivated
      ? [{ href: "/api-keys?create=yes", title: "Create API key", icon: IconPlus }]
      : [];
  if (pasted !== "" && manages) {
    const found = {
      href: pastedKeyHref(pasted),
      title: "Find the pasted API key",
      hint: pasted,
      icon: IconKey,
    };
    return { "API keys": [found] };
  }
  return {
    Pages: pages.filter(matches),
    Actions: actions.filter(matches),
    ...(isCurrent && foundEntries(data?.find ?? [])),
    Help: HELP.map((link): Entry => ({ ...link, icon: IconLifebuoy, isOutside: true })).filter(matches),
  };
}
