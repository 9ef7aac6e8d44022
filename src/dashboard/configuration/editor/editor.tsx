import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  tooltips,
} from "@codemirror/view";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { JsonSchema } from "../json-schema";
import { type KnownNames, schemaCompletion } from "./completion";
import { schemaHint } from "./hint";
import { firstError, nodeAt, rangeOf } from "./json-tree";
import { theme } from "./theme";

/** A mark in the text. */
export interface Mark {
  message: string;
  severity: "error" | "warning";
  /** The part of the document, such as `rules[3].when[0]`. */
  path: string;
  /** A position within the part's text. */
  position?: { line: number; column: number } | null;
  /** True if the text is not valid JSON; its parts are then unknown. */
  isSyntax?: boolean;
  /** The position of a syntax error; defaults to the first one found by the editor. */
  offset?: number | undefined;
}

/** The methods that a page can call on its editor. */
export interface EditorHandle {
  /** Moves the cursor to the mark, and the focus to the editor. */
  show(mark: Mark): void;
}

export interface EditorProps {
  label: string;
  /** Description that screen readers read after the label. */
  description: string;
  text: string;
  onChange: (text: string) => void;
  isReadOnly?: boolean;
  schema?: JsonSchema | undefined;
  /** Names for completing values; read when the editor opens. */
  known?: KnownNames;
  marks?: readonly Mark[];
  className?: string | undefined;
  /** The mark or offset to focus when the editor opens; if omitted, the focus does not move. */
  focusOn?: Mark | number | undefined;
  ref?: Ref<EditorHandle>;
}

/**
 * An editor for JSON. It is in a shadow root, where CodeMirror adopts its style sheets; elsewhere, CodeMirror would add
 * style elements, which the Content-Security-Policy forbids.
 */
export function Editor(props: EditorProps) {
  const { text, schema, marks, isReadOnly = false, label } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const hint = document.createElement("p");
    Object.assign(hint, { id: "hint", hidden: true, textContent: latest.current.description });
    root.append(hint);
    const created = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          extensions,
          EditorView.contentAttributes.of({
            "aria-label": label,
            "aria-describedby": hint.id,
            tabindex: "0",
          }),
          EditorState.readOnly.of(isReadOnly),
          schema === undefined
            ? []
            : [
                autocompletion({
                  override: [schemaCompletion(schema, latest.current.known ?? (() => ({})))],
                  icons: false,
                }),
                hoverTooltip(schemaHint(schema)),
              ],
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(state.doc.toString());
          }),
        ],
      }),
    });
    const isFirst = view.current === undefined;
    view.current = created;
    const { focusOn } = latest.current;
    if (isFirst && focusOn !== undefined) showIn(created, focusOn);
    return () => {
      created.destroy();
      hint.remove();
    };
  }, [schema, isReadOnly, label]);

  useEffect(() => {
    const { state } = view.current ?? {};
    if (state === undefined || state.doc.toString() === text) return;
    // Applied as a change, so that it can be undone.
    view.current?.dispatch({ changes: { from: 0, to: state.doc.length, insert: text } });
  }, [text]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a newly created editor has no marks yet
  useEffect(() => {
    if (view.current === undefined) return;
    const { state } = view.current;
    const diagnostics = (marks ?? []).map(
      (mark): Diagnostic => ({ ...placeOf(state, mark), message: mark.message, severity: mark.severity }),
    );
    view.current.dispatch(setDiagnostics(state, diagnostics));
  }, [marks, schema, isReadOnly, label]);

  useImperativeHandle(props.ref, () => ({
    show(mark) {
      if (view.current !== undefined) showIn(view.current, mark);
    },
  }));

  return <div ref={host} className={props.className} />;
}

/**
 * Replaces the selection with typed text, as CodeMirror would; does nothing if the text is read-only. By default,
 * Chromium wraps the text in an element with an inline style, which the Content-Security-Policy forbids.
 */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    if (view.state.readOnly) return true;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== "insertText" || data === null || empty || view.composing) return false;
    const insertion = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    const isHandled = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, from, to, data, insertion));
    if (!isHandled) view.dispatch(insertion());
    return true;
  },
});

/** Moves the cursor and the focus to a mark or offset. */
function showIn(view: EditorView, place: Mark | number): void {
  const from =
    typeof place === "number" ? Math.min(place, view.state.doc.length) : placeOf(view.state, place).from;
  view.dispatch({
    selection: { anchor: from },
    effects: EditorView.scrollIntoView(from, { y: "center" }),
  });
  view.focus();
}

/** Returns the range of a mark within the text, which may have changed since it was checked. */
function placeOf(
  state: EditorState,
  { path, position, isSyntax, offset }: Mark,
): { from: number; to: number } {
  const { length } = state.doc;
  const { from, to } = isSyntax
    ? aroundOffset(state, Math.min(offset ?? firstError(state), length))
    : rangeOf(state, path, position);
  return { from: Math.min(from, length), to: Math.min(to, length) };
}

/** Returns the range of the token that starts at an offset or, if none does, of the characters around the offset. */
function aroundOffset(state: EditorState, offset: number): { from: number; to: number } {
  const node = nodeAt(state, offset, 1);
  const isToken = node.firstChild === null && node.from === offset && node.to > node.from;
  return isToken ? { from: node.from, to: node.to } : { from: Math.max(0, offset - 1), to: offset + 1 };
}

const extensions: Extension = [
  lineNumbers(),
  foldGutter(),
  lintGutter(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  history(),
  json(),
  indentUnit.of("  "),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
  bracketMatching(),
  closeBrackets(),
  replaceSelection,
  tooltips({ position: "fixed" }),
  theme,
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...lintKeymap,
    ...defaultKeymap,
    ...historyKeymap,
    ...foldKeymap,
    // Escape, then Tab, leaves the editor.
    indentWithTab,
  ]),
];
