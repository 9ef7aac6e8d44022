import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../api/api-error";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import type { Json } from "./document-text";
import type { JsonSchema } from "./json-schema";
import { declaredNames, NAME_KINDS, type NameKind, nameProblem, renameUses } from "./rename";

/** Renames a template or situation in a draft, and updates the references to it. */
export function RenameInDraft(props: {
  text: string;
  document: Json;
  schema: JsonSchema;
  onRename: (text: string) => void;
  onClosed: () => void;
}) {
  const { text, document, schema } = props;
  const kinds = NAME_KINDS.filter((each) => declaredNames(document, each).length > 0);
  const [kind, setKind] = useState(kinds[0] as NameKind);
  const names = declaredNames(document, kind);
  const [chosen, setChosen] = useState("");
  const from = names.includes(chosen) ? chosen : (names[0] ?? "");
  const { uses } = renameUses(text, schema, kind.kind, from, from);
  const rename = async (form: FormData) => {
    const to = String(form.get("to"));
    const problem = nameProblem(document, schema, kind, to);
    if (problem !== undefined) throw new ApiError(problem, "conflict");
    props.onRename(renameUses(text, schema, kind.kind, from, to).text);
    toast(`Renamed ${from} to ${to}.`);
  };
  return (
    <FormDialog
      title="Rename in this draft"
      submit="Rename"
      conflict="to"
      onSubmit={rename}
      onClosed={props.onClosed}
    >
      {({ field }) => (
        <>
          <NativeSelect
            name="kind"
            label="Rename a"
            data={kinds.map(({ kind, label }) => ({ value: kind, label }))}
            value={kind.kind}
            onChange={({ currentTarget: { value } }) =>
              setKind(kinds.find((each) => each.kind === value) ?? kind)
            }
          />
          <NativeSelect
            name="from"
            label="Name"
            description={`${uses === 1 ? "1 use changes" : `${uses} uses change`} as well.`}
            data={names}
            value={from}
            onChange={({ currentTarget: { value } }) => setChosen(value)}
          />
          <TextInput {...field("to")} label="New name" required autoCapitalize="none" data-autofocus />
          {kind.kind === "situation-type" && (
            <p>Once you publish the draft, programs must submit this situation under its new name.</p>
          )}
        </>
      )}
    </FormDialog>
  );
}
