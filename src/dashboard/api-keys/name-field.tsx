import { TextInput } from "@mantine/core";
import { KEY_NAME_MAX_LENGTH } from "../../features/api-keys/api-key.limits";
import type { FormState } from "../ui/form-dialog";

/** The field for a key's name, focused when the dialog opens. */
export const NameField = (props: {
  label: string;
  description?: string;
  defaultValue?: string;
  form: FormState;
}) => (
  <TextInput
    name="name"
    label={props.label}
    description={props.description}
    maxLength={KEY_NAME_MAX_LENGTH}
    required
    withAsterisk={false}
    autoComplete="off"
    data-autofocus
    defaultValue={props.defaultValue}
    onChange={props.form.onChange}
    error={props.form.errorOf("name")}
  />
);
