import { TextInput, type TextInputProps } from "@mantine/core";
import { FormDialog, type FormState } from "./form-dialog";
import { toast } from "./toast";

/** The field for a name, focused when its dialog opens. */
export const NameField = ({
  field,
  ...props
}: Pick<FormState, "field"> & TextInputProps & { maxLength: number }) => (
  <TextInput {...field("name")} label="Name" required data-autofocus {...props} />
);

/**
 * Renames something from a form.
 * @param title the dialog's title; includes the name by default
 * @param of the ID of the renamed object, if other objects on the page may have the same name
 */
export const RenameDialog = (props: {
  title?: string;
  of?: string;
  name: string;
  maxLength: number;
  description?: string;
  onRename: (name: string) => Promise<unknown>;
  onClosed: () => void;
}) => (
  <FormDialog
    title={props.title ?? `Rename “${props.name}”`}
    {...(props.of && { of: props.of })}
    submit="Rename"
    conflict="name"
    onSubmit={async (form) => {
      const name = String(form.get("name"));
      await props.onRename(name);
      toast(`Renamed ${props.name} to ${name.trim()}.`);
    }}
    onClosed={props.onClosed}
  >
    {({ field }) => (
      <NameField
        field={field}
        label="New name"
        description={props.description}
        defaultValue={props.name}
        maxLength={props.maxLength}
      />
    )}
  </FormDialog>
);
