import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { NOTE_MAX_LENGTH } from "../../features/configuration/configuration.limits";
import { change } from "../api/client";
import type { Agent } from "../parts/agent-page";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { PublishConfigurationDocument } from "./documents.generated";

/** Publishes an earlier version again. */
export function Restore(props: { agent: Agent; version: number; live: number; onClosed: () => void }) {
  const { agent, version } = props;
  // Keeps the version that was live when the dialog opened, because only that version may be replaced.
  const [live] = useState(props.live);
  const [, navigate] = useLocation();
  const publish = async (form: FormData) => {
    const { publishConfiguration } = await change(PublishConfigurationDocument, {
      agentId: agent.id,
      expectedLiveVersion: live,
      fromVersion: version,
      note: String(form.get("note")).trim() || null,
    });
    toast(`Restored version ${version} as version ${publishConfiguration.version}.`);
    navigate(`/configuration?agent=${agent.id}`);
  };
  return (
    <FormDialog
      title={`Restore version ${version}?`}
      submit="Restore"
      onSubmit={publish}
      onClosed={props.onClosed}
    >
      {({ field }) => (
        <>
          <p>
            This publishes the document of version {version} again, as version {live + 1}. It takes effect
            with the next decision. The draft is not affected.
          </p>
          <TextInput
            {...field("note")}
            label="Note (optional)"
            placeholder="Why you are restoring this version"
            maxLength={NOTE_MAX_LENGTH}
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  );
}
