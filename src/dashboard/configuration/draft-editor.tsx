import { Button } from "@mantine/core";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import {
  DOCUMENT_MAX_BYTES,
  TESTED_DOCUMENT_MAX_BYTES,
} from "../../features/configuration/configuration.limits";
import { isConflict } from "../api/api-error";
import { change } from "../api/client";
import { useMembers } from "../members/use-members";
import type { Agent } from "../parts/agent-page";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { formatNumber, Time } from "../ui/format";
import { loaded } from "../ui/loaded";
import { RowMenu } from "../ui/row-menu";
import { Tag } from "../ui/tag";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { useCheck } from "./check";
import styles from "./configuration.module.css";
import { parseText, sizeOf, textOf } from "./document-text";
import type { Draft, Live } from "./documents";
import { SaveConfigurationDraftDocument } from "./documents.generated";
import type { EditorHandle } from "./editor/editor";
import { useEdit } from "./edits";
import { doesNothing, EXAMPLE } from "./example";
import { JsonField } from "./json-field";
import { Problems } from "./problems";
import { declaredNames, NAME_KINDS, RAISED } from "./rename";
import { useSchema } from "./use-schema";

const { component: Conflict } = loaded(async () => (await import("./conflict")).Conflict);
const { component: RenameInDraft } = loaded(async () => (await import("./rename-dialog")).RenameInDraft);

/** The draft of an agent's configuration, or the live version as a starting point. */
export function DraftEditor(props: {
  agent: Agent;
  live: Live;
  draft: Draft | null;
  reload: () => Promise<unknown>;
}) {
  const { agent, live, draft, reload } = props;
  const { id: memberId, deactivated } = useViewer();
  const { edit, setEdit, currentEdit } = useEdit(memberId, agent.id);
  const [, navigate] = useLocation();
  const { busy, error, run, clearError } = useTask();
  const { data: schema, isPending: schemaIsPending } = useSchema();
  const editor = useRef<EditorHandle>(null);
  const [isRenaming, setRenaming] = useState(false);
  // Preserves the line breaks of the saved text, because the server does not store them.
  const [saved, setSaved] = useState<{ updatedAt: string; text: string }>();

  const revision = draft?.revision ?? 0;
  const basedOn = draft?.basedOn ?? live.version;
  const isBlank = draft === null && doesNothing(live.document);
  const start = useMemo(
    () => textOf(draft?.document ?? (isBlank ? EXAMPLE : live.document)),
    [draft, isBlank, live],
  );
  const shown = saved !== undefined && saved.updatedAt === draft?.updatedAt ? saved.text : start;
  const text = edit?.text ?? shown;
  const check = useCheck(text, agent.id);
  const parsed = parseText(text);
  const hasTests = "document" in parsed && "tests" in parsed.document;
  const size = "document" in parsed ? sizeOf(parsed.document) : 0;
  const maxSize = hasTests ? TESTED_DOCUMENT_MAX_BYTES : DOCUMENT_MAX_BYTES;
  const hasChanges = edit !== undefined || isBlank;
  // The revision alone does not identify a draft, because each draft starts at revision 1.
  const isBehind = edit !== undefined && !busy && (basedOn !== edit.basedOn || revision > edit.revision);

  const type = (next: string) => {
    clearError();
    if (next === shown && !isBehind) setEdit(undefined);
    else setEdit({ revision, basedOn, ...edit, text: next });
  };
  const save = async () => {
    if ("problem" in parsed) return;
    const { saveConfigurationDraft } = await change(SaveConfigurationDraftDocument, {
      agentId: agent.id,
      document: parsed.document,
      expectedRevision: edit?.revision ?? revision,
      expectedBasedOn: edit?.basedOn ?? basedOn,
    });
    const { draft: next } = saveConfigurationDraft;
    setSaved({ updatedAt: next.updatedAt, text });
    const typed = currentEdit();
    // Text typed during the request is based on the text just saved.
    setEdit(
      typed === undefined || typed.text === text
        ? undefined
        : { ...typed, revision: next.revision, basedOn: next.basedOn },
    );
  };
  const maySave = hasChanges && !("problem" in parsed) && !isBehind && !deactivated;
  const saveThen = (next: () => void) =>
    run(async () => {
      try {
        if (hasChanges) await save();
        next();
      } catch (failure) {
        if (!isConflict(failure)) throw failure;
        // Another member saved first; reload to show the conflict.
        await reload();
      }
    });
  const submit = () => maySave && void saveThen(() => toast("Draft saved."));
  const review = () => saveThen(() => navigate(`/configuration/publish?agent=${agent.id}`));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    submit();
  };

  const lines = live.lines.map(({ name }) => name);
  const hasNames =
    schema !== undefined &&
    "document" in parsed &&
    NAME_KINDS.some((kind) => declaredNames(parsed.document, kind).length > 0);
  const menu = [
    ...(hasNames ? [{ label: "Rename…", onClick: () => setRenaming(true) }] : []),
    { label: "Format", onClick: () => type("document" in parsed ? textOf(parsed.document) : text) },
    ...(edit === undefined ? [] : [{ label: "Discard changes", onClick: () => setEdit(undefined) }]),
    ...(draft === null
      ? []
      : [{ label: `Start over from version ${live.version}`, onClick: () => type(textOf(live.document)) }]),
  ];
  return (
    <section className={styles.card} aria-label="Draft">
      <header className={styles.header}>
        <div className={styles.heading}>
          <h2>Draft</h2>
          <State edit={edit !== undefined} isBased={hasChanges} draft={draft} live={live} />
        </div>
        {!deactivated && (
          <div className={styles.choices}>
            <RowMenu of="the draft" actions={menu} />
            <Button variant="default" disabled={!maySave} loading={busy} onClick={submit}>
              Save draft
            </Button>
            <Button
              disabled={"problem" in parsed || isBehind || (draft === null && !hasChanges)}
              onClick={review}
            >
              Publish…
            </Button>
          </div>
        )}
      </header>
      {isBlank && (
        <p className={styles.note}>
          This agent does nothing yet. Below is an example with one rule: adapt it to your needs, then publish
          it.
        </p>
      )}
      {isBehind && edit && (
        <Conflict
          mine={"document" in parsed ? textOf(parsed.document) : edit.text}
          draft={draft}
          live={live}
          onTake={() => setEdit(undefined)}
          onKeep={() => setEdit({ ...edit, revision, basedOn })}
        />
      )}
      {error !== undefined && (
        <div className={styles.failure}>
          <Failure error={error} />
        </div>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the button */}
      <div onKeyDown={onKeyDown} className={styles.editorFrame}>
        <JsonField
          ref={editor}
          label="Configuration as JSON"
          text={text}
          onChange={type}
          isReadOnly={deactivated}
          isPending={schemaIsPending}
          schema={schema}
          known={(namesIn) => ({
            send: namesIn("templates"),
            prompt: namesIn("templates"),
            line: lines,
            move: lines,
            on: [...namesIn("situations"), ...RAISED],
          })}
          marks={check.marks}
        />
      </div>
      {isRenaming && schema !== undefined && "document" in parsed && (
        <RenameInDraft
          text={text}
          document={parsed.document}
          schema={schema}
          onRename={type}
          onClosed={() => setRenaming(false)}
        />
      )}
      <footer className={styles.footer}>
        {check.error === null ? (
          check.isChecked && (
            <Problems
              marks={check.marks}
              text={text}
              isChecking={!check.isCurrent}
              onShow={(mark) => editor.current?.show(mark)}
            />
          )
        ) : (
          <Failure error={check.error} />
        )}
        <p className={styles.keys}>
          <span className={styles.shortcuts}>
            <kbd>Ctrl Space</kbd> suggests · <kbd>Ctrl S</kbd> saves · <kbd>Esc</kbd> then <kbd>Tab</kbd>{" "}
            leaves the editor
          </span>
          {size > maxSize / 2 && ` · ${kibibytes(size)} of ${kibibytes(maxSize)} KiB`}
        </p>
      </footer>
    </section>
  );
}

const kibibytes = (bytes: number) => formatNumber(Math.ceil(bytes / 1024));

/** @param props.isBased true if the text has unsaved changes or is the example */
function State(props: { edit: boolean; isBased: boolean; draft: Draft | null; live: Live }) {
  const { edit, isBased, draft, live } = props;
  const { nameOfActor } = useMembers();
  return (
    <p className={styles.state}>
      {edit && <Tag tone="warn">Unsaved changes</Tag>}
      {draft === null ? (
        <span>
          {isBased ? "Based on version" : "Same as the live version"} {live.version}, published{" "}
          <Time value={live.publishedAt} /> by {nameOfActor(live.publishedBy)}
        </span>
      ) : (
        <span>
          Saved <Time value={draft.updatedAt} /> by {nameOfActor(draft.updatedBy)} · version {live.version} is
          live
        </span>
      )}
    </p>
  );
}
