import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useRef } from "react";
import { ApiError, sentenceOf } from "../api/api-error";
import { change } from "../api/client";
import { type AgentsQuery, CreateApiKeyDocument, type NewApiKey } from "../api/documents.generated";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import styles from "./dialogs.module.css";
import { endOf, useExpiry } from "./expiry";
import { useScopes } from "./scopes";
import { showSecret } from "./shown-secret";

/** As long as the gateway lets a name be. */
export const NAME_MAX = 100;

type Agents = AgentsQuery["agents"];

/** Asks what a new key is for, mints it, and hands its secret over. */
export const CreateKey = ({ agents, onClosed }: { agents: Agents; onClosed: () => void }) => (
  <Dialog title="Create an API key" onClosed={onClosed}>
    {(close) =>
      agents.length === 0 ? <NoAgents close={close} /> : <CreateForm agents={agents} close={close} />
    }
  </Dialog>
);

/** A key without an agent cannot be, and agents are not made here. */
const NoAgents = ({ close }: { close: () => void }) => (
  <>
    <p className={styles.text}>
      A key calls as an agent, and your organization has none yet. Agents are added at the command line of the
      server: <code>npm run -s gateway -- agents add --help</code>
    </p>
    <DialogButtons>
      <Button data-autofocus onClick={close}>
        Close
      </Button>
    </DialogButtons>
  </>
);

function CreateForm({ agents, close }: { agents: Agents; close: () => void }) {
  const { busy, error, run } = useTask();
  const { choice, field } = useExpiry();
  const { scopes, field: scopesField } = useScopes();
  const repeatable = useRepeatable();
  const badName =
    error instanceof ApiError && (error.code === "conflict" || error.message.startsWith("name "));

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const asked = { agentId: String(form.get("agent")), name: String(form.get("name")), scopes };
    return run(async () => {
      const input = repeatable({ ...asked, choice }, () => ({ ...asked, expiresAt: endOf(choice) }));
      const made = await change(CreateApiKeyDocument, { input }, { waitUntilShown: false });
      const { secret, apiKey } = made.createApiKey;
      showSecret({ secret, title: "API key created", name: apiKey.name, agent: apiKey.agent.name });
      close();
    });
  };

  return (
    <form onSubmit={submit} className={styles.form}>
      <TextInput
        name="name"
        label="Name"
        description="Says where the key is used, in the list and in the audit log."
        maxLength={NAME_MAX}
        required
        withAsterisk={false}
        autoComplete="off"
        data-autofocus
        error={badName && sentenceOf(error)}
      />
      <NativeSelect
        name="agent"
        label="Agent"
        description="Calls with this key are made as this agent."
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
 * Makes trying again after a lost answer safe: the same form is sent as the same request, of which the gateway keeps
 * one key.
 */
function useRepeatable() {
  const last = useRef<{ form: string; input: NewApiKey }>(undefined);
  return (asked: object, makeInput: () => NewApiKey): NewApiKey => {
    const form = JSON.stringify(asked);
    if (last.current?.form !== form) {
      // Pages of plain HTTP have no crypto.randomUUID.
      const idempotencyKey = [...crypto.getRandomValues(new Uint32Array(4))].join("-");
      last.current = { form, input: { ...makeInput(), idempotencyKey } };
    }
    return last.current.input;
  };
}
