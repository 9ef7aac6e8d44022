/**
 * Ignores the repeated events of a held Enter key, which would submit a form or press a button again after each
 * response. In multiline fields, a held Enter key still adds lines. Call once.
 */
export function ignoreHeldEnter(): void {
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Enter" || !event.repeat) return;
      // The editor is in a shadow tree, so the event's target is only its host.
      const [target] = event.composedPath();
      const isMultiline =
        target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable);
      if (isMultiline && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );
}
