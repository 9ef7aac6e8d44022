import { KEY_NAME_MAX_LENGTH } from "../../features/api-keys/api-key.limits";
import { change } from "../api/client";
import { RenameDialog } from "../ui/name-field";
import { type KeyFragment, UpdateApiKeyDocument } from "./documents.generated";

export const RenameKey = ({
  apiKey: { id, name },
  onClosed,
}: {
  apiKey: KeyFragment;
  onClosed: () => void;
}) => (
  <RenameDialog
    of={id}
    name={name}
    maxLength={KEY_NAME_MAX_LENGTH}
    onRename={(next) => change(UpdateApiKeyDocument, { input: { id, name: next } })}
    onClosed={onClosed}
  />
);
