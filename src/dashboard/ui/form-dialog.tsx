import { Button, TextInput } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { ApiError, isOnlyAbout, problemOf } from "../api/api-error";
import { Dialog, DialogButtons } from "./dialog";
import styles from "./dialog.module.css";
import { Failure } from "./failure";
import { useKeptForm } from "./kept-form";
import { useTask } from "./task";
import { toast } from "./toast";

/** Closing the dialog or leaving the page needs confirmation if this many fields have changed, or one long text. */
const MANY_CHANGES = 2;

/** Min characters of a text that takes a while to retype. */
const LONG_TEXT_LENGTH = 40;

/** True for a changed text area with a long text; a form's text areas are uncontrolled. */
const isLongText = (control: EventTarget): boolean =>
  control instanceof HTMLTextAreaElement &&
  control.value.trim().length >= LONG_TEXT_LENGTH &&
  control.value !== control.defaultValue;

/** The state of a form's fields. */
export interface FormState {
  /** Returns the server's message about a field. If no input has this name, the dialog shows the message. */
  errorOf: (field: string) => string | undefined;
  /** Returns the usual properties of a field's input. */
  field: (name: string) => {
    name: string;
    error: string | undefined;
    withAsterisk: false;
    autoComplete: "off";
  };
}

/**
 * A dialog with a form. It closes after a successful submission; after a failure, it stays open with the
 * user's input.
 * @param of the ID of the object that the form changes, if other objects on the page may have the same title
 * @param conflict the name of the field that shows conflicts
 * @param codes the names of the fields that show other error codes
 * @param isLoading true while the form cannot be submitted, because its content is incomplete
 * @param confirm text that must be typed before the form can be submitted
 * @param onSubmit receives the values of all named controls
 * @param done the toast after a successful submission
 */
export function FormDialog(props: {
  title: string;
  of?: string;
  submit: string;
  size?: string;
  isDestructive?: boolean;
  isLoading?: boolean;
  conflict?: string;
  codes?: Readonly<Record<string, string>>;
  confirm?: string;
  onSubmit: (form: FormData) => Promise<unknown>;
  done?: string;
  onClosed: () => void;
  children: ReactNode | ((state: FormState) => ReactNode);
}) {
  const guard = useRef(() => true);
  return (
    <Dialog
      isForm
      title={props.title}
      mayClose={() => guard.current()}
      onClosed={props.onClosed}
      {...(props.size && { size: props.size })}
    >
      {(close) => <Form {...props} close={close} guard={guard} />}
    </Dialog>
  );
}

/**
 * @param props.guard set to a function that is called before the user closes the dialog, and returns false to keep it
 *   open
 */
function Form(
  props: Parameters<typeof FormDialog>[0] & { close: () => void; guard: RefObject<() => boolean> },
) {
  const { conflict, codes, confirm, children, close, guard } = props;
  const { busy, error, run, clearError } = useTask();
  const [typed, setTyped] = useState("");
  const [asking, setAsking] = useState(false);
  /** True after a success. The closing dialog stays visible for a moment, and must not submit again. */
  const [isDone, setDone] = useState(false);
  const changed = useRef(new Set<EventTarget>());
  /** The fields that show their own messages as long as their inputs are rendered. */
  const asked = useRef(new Set<string>());
  const form = useKeptForm(`${props.title} ${props.of ?? ""}`, changed);
  const losesChanges = () => {
    const controls = [...changed.current];
    return controls.length >= MANY_CHANGES || controls.some(isLongText);
  };
  guard.current = () => {
    const asks = !asking && losesChanges();
    setAsking(asks);
    return !asks;
  };
  useWindowEvent("beforeunload", (event) => {
    if (!isDone && losesChanges()) event.preventDefault();
  });
  const leave = () => {
    if (guard.current()) close();
  };
  // The field may be above the visible part of a long dialog.
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error, form]);
  const isConfirmed = confirm === undefined || typed.trim() === confirm;
  // An input may be missing, for example because another field has hidden it.
  const showsMessage = (field: string | undefined) =>
    field !== undefined && asked.current.has(field) && form.current?.elements.namedItem(field) != null;
  const fieldOfCode = error instanceof ApiError ? { conflict, ...codes }[error.code] : undefined;
  const isShownByField = showsMessage(fieldOfCode) || isOnlyAbout(error, showsMessage);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isConfirmed) return;
    const values = new FormData(event.currentTarget);
    return run(async () => {
      await props.onSubmit(values);
      if (props.done !== undefined) toast(props.done);
      setDone(true);
      close();
    });
  };
  const errorOf = (field: string) => {
    asked.current.add(field);
    return field === fieldOfCode ? (error as ApiError).message : problemOf(error, field);
  };
  const state: FormState = {
    errorOf,
    field: (name) => ({
      name,
      error: errorOf(name),
      withAsterisk: false,
      autoComplete: "off",
    }),
  };
  return (
    <form
      ref={form}
      onSubmit={submit}
      onInput={({ target }) => {
        changed.current.add(target);
        clearError();
      }}
      className={styles.form}
    >
      {typeof children === "function" ? children(state) : children}
      {confirm !== undefined && (
        <TextInput
          label={
            <>
              Type <code className={styles.typed}>{confirm}</code> to confirm
            </>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
        />
      )}
      <div className={styles.footer}>
        {error !== undefined && !isShownByField && <Failure error={error} />}
        {asking && <p role="alert">Discard your changes?</p>}
        <DialogButtons>
          <Button
            variant="default"
            data-autofocus={(props.isDestructive && confirm === undefined) || undefined}
            onClick={leave}
          >
            {asking ? "Discard" : "Cancel"}
          </Button>
          {asking && (
            <Button variant="default" onClick={() => setAsking(false)}>
              Keep editing
            </Button>
          )}
          <Button
            type="submit"
            loading={busy || isDone || props.isLoading}
            disabled={!isConfirmed}
            {...(props.isDestructive && { color: "red" })}
          >
            {props.submit}
          </Button>
        </DialogButtons>
      </div>
    </form>
  );
}
