import { Button, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { sentenceOf } from "../api/api-error";
import { change } from "../api/client";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { useMisclickGuard } from "../ui/misclick-guard";
import { useTask } from "../ui/task";
import styles from "./contacts.module.css";
import { ChangeContactTagsDocument } from "./documents.generated";

/** A contact's tags. Members with write permission can add and remove them one by one. */
export function ContactTags({ id, tags }: { id: string; tags: readonly string[] }) {
  const { may, deactivated } = useViewer();
  const { busy, error, run, clearError } = useTask();
  const [text, setText] = useState("");
  const guard = useMisclickGuard(tags);
  const mayChange = may("conversations_write") && !deactivated;
  const changeTags = (tag: { add?: string[]; remove?: string[] }) =>
    run(async () => {
      await change(ChangeContactTagsDocument, { id, ...tag });
      // Clears the field unless the user has typed something else during the request.
      if (tag.add) setText((now) => (now === text ? "" : now));
    });
  const add = (event: FormEvent) => {
    event.preventDefault();
    const added = text.split(/[\s,]+/).filter((tag) => tag !== "");
    if (added.length > 0) void changeTags({ add: added });
  };
  return (
    <div className={styles.body}>
      {tags.length === 0 && !mayChange && <p>No tags.</p>}
      {tags.length > 0 && (
        <ul className={styles.tagList} aria-label="Tags" {...guard}>
          {tags.map((tag) => (
            <li key={tag} className={styles.tag}>
              <bdi>{tag}</bdi>
              {mayChange ? (
                <button
                  type="button"
                  disabled={busy}
                  aria-label={`Remove the tag ${tag}`}
                  onClick={() => changeTags({ remove: [tag] })}
                >
                  <Icon of={IconX} size={14} />
                </button>
              ) : (
                <span>&nbsp;</span>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange && (
        <form className={styles.add} onSubmit={add}>
          <TextInput
            aria-label="New tag"
            placeholder="Add a tag"
            autoComplete="off"
            value={text}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              clearError();
            }}
            error={error !== undefined && sentenceOf(error)}
          />
          <Button type="submit" variant="default" loading={busy} disabled={text.trim() === ""}>
            Add
          </Button>
        </form>
      )}
    </div>
  );
}
