import { type RefObject, useLayoutEffect, useRef } from "react";
import { memberIn, sessionHasEnded } from "../api/client";

/** Input of dialogs that were closed when the session ended, by member, page and dialog. */
const kept = new Map<string, [name: string, value: string][]>();

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Preserves a form's input when the session ends, until the same member opens the form again. Passwords,
 * check boxes and radio buttons are not preserved.
 * @param name identifies the form on its page
 * @param changed the controls that the user has changed; when the form is opened again, the others show
 *   stored values
 */
export function useKeptForm(
  name: string,
  changed: RefObject<ReadonlySet<EventTarget>>,
): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const element = form.current;
    const key = [memberIn(), location.pathname, location.search, name].join(" ");
    const values = kept.get(key) ?? [];
    kept.delete(key);
    restore(element, values);
    // Restoring a select may have added fields.
    const later = setTimeout(() => restore(element, values));
    return () => {
      clearTimeout(later);
      if (element !== null && sessionHasEnded()) kept.set(key, typedIn(element, changed.current));
    };
  }, [name, changed]);
  return form;
}

const controlsOf = (form: HTMLFormElement): Control[] =>
  ([...form.elements] as Control[]).filter(
    ({ name, type, autocomplete }) =>
      name !== "" &&
      !["password", "checkbox", "radio", "button", "submit"].includes(type) &&
      // A visible password is in a text field.
      !autocomplete.includes("password"),
  );

const typedIn = (form: HTMLFormElement, changed: ReadonlySet<EventTarget>): [string, string][] =>
  controlsOf(form)
    .filter((control) => changed.has(control))
    .map(({ name, value }) => [name, value]);

function restore(form: HTMLFormElement | null, values: readonly [string, string][]): void {
  if (form === null) return;
  const controls = controlsOf(form);
  for (const [name, value] of values) {
    const control = controls.find((each) => each.name === name);
    if (control === undefined || control.value === value) continue;
    // React detects only changes through the native setter.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), "value")?.set?.call(control, value);
    for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
  }
}
