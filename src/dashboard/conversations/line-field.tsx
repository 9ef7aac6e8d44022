import { NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { LineNamesDocument } from "./documents.generated";

/**
 * The field for the name of a line: managers select it; others cannot list the lines, so they type it.
 * @param any the label for "no line", if the field may be empty
 * @param except the line to exclude
 */
export function LineField(props: {
  agentId: string;
  any?: string;
  except?: string;
  error: ReactNode;
  onChange: () => void;
}) {
  const { agentId, any, except, error, onChange } = props;
  const { manages } = useViewer();
  const { data } = usePolledQuery(LineNamesDocument, { agentId }, { enabled: manages, pollMs: 60_000 });
  if (!manages || data === undefined) {
    return (
      <TextInput
        name="line"
        label="Line"
        description={
          any === undefined ? "The name of the line." : `The name of the line; ${any.toLowerCase()} if empty.`
        }
        required={any === undefined}
        withAsterisk={false}
        autoComplete="off"
        maxLength={63}
        onChange={onChange}
        error={error}
      />
    );
  }
  const lines = data.lines.filter(({ name, state }) => name !== except && state !== "archived");
  return (
    <NativeSelect
      name="line"
      label="Line"
      required={any === undefined}
      withAsterisk={false}
      data={[
        ...(any === undefined ? [] : [{ value: "", label: any }]),
        ...lines.map(({ name, kind, state }) => ({
          value: name,
          label: `${name} (${kind}${state === "paused" ? ", paused" : ""})`,
        })),
      ]}
      {...(lines.length === 0 && any === undefined && { description: "The agent has no other line." })}
      onChange={onChange}
      error={error}
    />
  );
}
