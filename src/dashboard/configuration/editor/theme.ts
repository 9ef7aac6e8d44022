import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const MONOSPACE = "var(--mantine-font-family-monospace)";

/** Uses the dashboard's CSS variables, so that the colors follow its theme. */
const look = EditorView.theme({
  "&": {
    backgroundColor: "var(--surface)",
    color: "var(--text)",
    fontSize: "0.8125rem",
    maxHeight: "var(--editor-max)",
  },
  // The editor's frame on the page shows the focus.
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: MONOSPACE,
    lineHeight: "1.6",
    overflow: "auto",
    minHeight: "var(--editor-min)",
  },
  ".cm-content": { caretColor: "var(--text)", padding: "0.5rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "light-dark(#cfdaff, #34447f)",
  },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": {
    backgroundColor: "light-dark(rgb(20 24 31 / 3%), rgb(231 234 238 / 4%))",
  },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--muted)",
    border: "0",
    fontVariantNumeric: "tabular-nums",
  },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--inset)",
    border: "1px solid var(--line)",
    color: "var(--muted)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", color: "inherit" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-soft)", color: "var(--bad)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line)",
    borderRadius: "0.5rem",
    boxShadow: "var(--shadow)",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: MONOSPACE, maxHeight: "20rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.25rem 0.625rem", lineHeight: "1.5" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--text)",
  },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": { padding: "0.5rem 0.75rem", maxWidth: "20rem" },
  ".cm-hint": { padding: "0.5rem 0.75rem", maxWidth: "24rem" },
  ".cm-hint p": { margin: "0" },
  ".cm-hint .cm-kind": { color: "var(--muted)", fontFamily: MONOSPACE, fontSize: "0.75rem" },
  ".cm-diagnostic": { padding: "0.375rem 0.75rem", borderLeftWidth: "4px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-lintRange": { backgroundImage: "none", textDecoration: "underline wavy", textUnderlineOffset: "3px" },
  ".cm-lintRange-error": { textDecorationColor: "var(--bad)" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--warn)" },
  ".cm-lintRange-active": { backgroundColor: "var(--bad-soft)" },
  ".cm-lint-marker": { width: "0.75em", height: "0.75em" },
  ".cm-gutter-lint": { width: "1.25em" },
});

const code = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: [tags.separator, tags.brace, tags.squareBracket], color: "var(--muted)" },
]);

export const theme: Extension = [look, syntaxHighlighting(code)];
