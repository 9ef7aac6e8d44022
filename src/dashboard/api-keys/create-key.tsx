import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useRef } from "react";
import { KEY_NAME_MAX_LENGTH } from "../../features/api-keys/api-key.limits";
import { ApiError, isAboutField, sentenceOf } from "../api/api-error";
import { change } from "../api/client";
import { type AgentsQuery, CreateApiKeyDocument, type NewApiKey } from "../api/documents.generated";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import styles from "./dialogs.module.css";
import { expiryOf, useExpiry } from "./expiry";
import { useScopes } from "./scopes";
import { showSecret } from "./shown-secret";

type Agents = AgentsQuery["agents"];

/** Creates a key from a form and shows its secret. */
export const CreateKey = ({ agents, onClosed }: { agents: Agents; onClosed: () => void }) => (
  <Dialog title="Create an API key" onClosed={onClosed}>
    {(close) =>
      agents.length === 0 ? <NoAgents close={close} /> : <CreateForm agents={agents} close={close} />
    }
  </Dialog>
);

/** A key needs an agent, and agents are created on the command line. */
const NoAgents = ({ close }: { close: () => void }) => (
  <>
    <p className={styles.text}>
      You need an agent before you can create a key. Add one from the command line on the server:{" "}
      <code>npm run -s gateway -- agents add --help</code>
    </p>
    <DialogButtons>
      <Button data-autofocus onClick={close}>
        Close
      </Button>
    </DialogButtons>
  </>
);

function CreateForm({ agents, close }: { agents: Agents; close: () => void }) {
  const { busy, error, run, clearError } = useTask();
  const { choice, field } = useExpiry();
  const { scopes, field: scopesField } = useScopes();
  const repeatable = useRepeatable();
  const badName = isAboutField(error, "name") || (error instanceof ApiError && error.code === "conflict");

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const fields = { agentId: String(form.get("agent")), name: String(form.get("name")), scopes };
    return run(async () => {
      const input = repeatable({ ...fields, choice }, () => ({ ...fields, expiresAt: expiryOf(choice) }));
      const created = await change(CreateApiKeyDocument, { input }, { waitUntilShown: false });
      const { secret, apiKey } = created.createApiKey;
      showSecret({ secret, title: "API key created", name: apiKey.name, agent: apiKey.agent.name });
      close();
    });
  };

  return (
    <form onSubmit={submit} className={styles.form}>
      <TextInput
        name="name"
        label="Name"
        description="A label to help you recognize this key, such as the app that uses it."
        maxLength={KEY_NAME_MAX_LENGTH}
        required
        withAsterisk={false}
        autoComplete="off"
        data-autofocus
        onChange={clearError}
        error={badName && sentenceOf(error)}
      />
      <NativeSelect
        name="agent"
        label="Agent"
        description="Requests made with this key act as this agent."
        data={agents.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {scopesField}
      {field}
      {error !== undefined && !badName && <Failure error={error} />}
      <DialogButtons>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={busy}>
          Create API key
        </Button>
      </DialogButtons>
    </form>
  );
}

/**
 * Makes it safe to retry after a lost response: an unchanged form is sent with the same idempotency key, so that the
 * server creates one key.
 */
function useRepeatable() {
  const last = useRef<{ form: string; input: NewApiKey }>(undefined);
  return (fields: object, createInput: () => NewApiKey): NewApiKey => {
    const form = JSON.stringify(fields);
    if (last.current?.form !== form) {
      // crypto.randomUUID is missing on plain HTTP.
      const idempotencyKey = [...crypto.getRandomValues(new Uint32Array(4))].join("-");
      last.current = { form, input: { ...createInput(), idempotencyKey } };
    }
    return last.current.input;
  };
}
