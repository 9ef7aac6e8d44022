import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { change } from "../api/client";
import { useIdempotencyKey } from "../api/idempotency";
import { useViewer } from "../session/session";
import { FormDialog } from "../ui/form-dialog";
import { type KeyFragment, RotateApiKeyDocument } from "./documents.generated";
import { KeyFacts } from "./key-facts";
import "../secrets/secret-dialog";
import { showSecret } from "../secrets/shown-secret";

const GRACE = [
  { value: "0", label: "Don’t – revoke immediately" },
  { value: "900", label: "15 minutes" },
  { value: "3600", label: "1 hour" },
  { value: "21600", label: "6 hours" },
  { value: "86400", label: "24 hours" },
];

/** Rotates a key: asks how long the old key keeps working and shows the secret of the new one. */
export function RotateKey({ apiKey, onClosed }: { apiKey: KeyFragment; onClosed: () => void }) {
  const { organization } = useViewer();
  const [grace, setGrace] = useState("3600");
  const keyOf = useIdempotencyKey();
  const rotate = async () => {
    const fields = { id: apiKey.id, graceSeconds: Number(grace) };
    const input = { ...fields, idempotencyKey: keyOf(fields) };
    const rotated = await change(RotateApiKeyDocument, { input }, { waitUntilShown: false });
    const { secret, apiKey: successor } = rotated.rotateApiKey;
    const agent = successor.agent?.name ?? organization.name;
    showSecret({ secret, title: "API key rotated", name: successor.name, agent });
  };
  return (
    <FormDialog title={`Rotate “${apiKey.name}”`} submit="Rotate key" onSubmit={rotate} onClosed={onClosed}>
      <KeyFacts apiKey={apiKey} />
      <p>
        We’ll create a new key with the same name and {apiKey.agent ? "agent" : "scopes"}.{" "}
        {grace === "0"
          ? "Requests with the old key will fail immediately."
          : "Both keys work until the old one expires."}
      </p>
      <NativeSelect
        label="Keep the old key working for"
        description={
          grace === "0" ? "Requests with the old key return 403." : "After that, requests return 401."
        }
        data={GRACE}
        value={grace}
        onChange={(event) => setGrace(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  );
}
