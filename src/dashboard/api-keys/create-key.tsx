import { NativeSelect } from "@mantine/core";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { KEY_NAME_MAX_LENGTH } from "../../features/api-keys/api-key.limits";
import { change } from "../api/client";
import { newIdempotencyKey } from "../api/idempotency";
import { labelOf } from "../parts/agent-label";
import type { AgentsQuery } from "../parts/documents.generated";
import { useViewer } from "../session/session";
import { Advanced } from "../ui/advanced";
import { InfoDialog } from "../ui/dialog";
import { FormDialog } from "../ui/form-dialog";
import { NameField } from "../ui/name-field";
import styles from "./dialogs.module.css";
import {
  CreateApiKeyDocument,
  type CreateApiKeyInput,
  CreateOrganizationKeyDocument,
} from "./documents.generated";
import { expiryOf, useExpiry } from "./expiry";
import { OF_ORGANIZATION } from "./key-filters";
import { LIMIT_FIELDS, LimitFields, limitsOf } from "./key-limits";
import { useOrganizationScopes, useScopes } from "./scopes";
import "../secrets/secret-dialog";
import { showSecret } from "../secrets/shown-secret";

interface Props {
  agents: AgentsQuery["agents"];
  /** Default owner of the key, taken from the list's agent filter; "" selects the first agent. */
  owner?: string;
  onClosed: () => void;
}

/** Creates a key from a form and shows its secret. */
export const CreateKey = (props: Props) =>
  props.agents.length === 0 ? <NoAgents {...props} /> : <CreateForm {...props} />;

/** Shown if there are no agents, because a key needs one. */
const NoAgents = ({ onClosed }: Props) => (
  <InfoDialog title="Create an API key" onClosed={onClosed}>
    <p className={styles.text}>
      You need an agent before you can create a key. <Link href="/agents">Create an agent</Link>
    </p>
  </InfoDialog>
);

/** Returns the ID of the agent selected at first; "" for the organization. */
const defaultOwner = (agents: Props["agents"], owner: string): string =>
  owner === OF_ORGANIZATION ? "" : (agents.find(({ id }) => id === owner)?.id ?? agents[0]?.id ?? "");

const SHOW_SECRET = { waitUntilShown: false };

function CreateForm({ agents, owner = "", onClosed }: Props) {
  const { organization } = useViewer();
  const [agentId, setAgentId] = useState(() => defaultOwner(agents, owner));
  const ofOrganization = agentId === "";
  const { choice, field } = useExpiry(ofOrganization ? "90" : "");
  const { scopes, field: scopesField } = useScopes();
  const managing = useOrganizationScopes();
  const repeatable = useRepeatable();

  const submit = async (form: FormData) => {
    const given = { name: String(form.get("name")), ...limitsOf(form) };
    const rest = repeatable({ ...given, agentId, scopes, managing: managing.scopes, choice }, () => ({
      ...given,
      expiresAt: expiryOf(choice),
    }));
    const { secret, apiKey } = ofOrganization
      ? (
          await change(
            CreateOrganizationKeyDocument,
            { input: { ...rest, scopes: managing.scopes } },
            SHOW_SECRET,
          )
        ).createOrganizationKey
      : (await change(CreateApiKeyDocument, { input: { ...rest, agentId, scopes } }, SHOW_SECRET))
          .createApiKey;
    showSecret({
      secret,
      title: "API key created",
      name: apiKey.name,
      agent: apiKey.agent?.name ?? organization.name,
    });
  };

  return (
    <FormDialog
      title="Create an API key"
      submit="Create API key"
      conflict="name"
      onSubmit={submit}
      onClosed={onClosed}
    >
      {(form) => (
        <>
          <NameField
            field={form.field}
            description="A label to help you recognize this key, such as the app that uses it."
            maxLength={KEY_NAME_MAX_LENGTH}
          />
          <NativeSelect
            name="agent"
            label="Agent"
            description={
              ofOrganization
                ? "Programs that use this key can manage the organization, for example in a pipeline."
                : "Requests made with this key act as this agent."
            }
            data={[
              ...agents.map((agent) => ({ value: agent.id, label: labelOf(agent, agents) })),
              { value: "", label: "None – manages the organization" },
            ]}
            value={agentId}
            onChange={(event) => setAgentId(event.currentTarget.value)}
          />
          {(ofOrganization ? managing.field : scopesField)(form.errorOf("scopes"))}
          {field}
          <Advanced hasErrors={LIMIT_FIELDS.some(form.errorOf)}>
            <LimitFields form={form} />
          </Advanced>
        </>
      )}
    </FormDialog>
  );
}

/** The input for a key of either kind, without its owner and scopes. */
type KeyInput = Omit<CreateApiKeyInput, "agentId" | "scopes">;

/** Like `useIdempotencyKey`, but keeps the whole input, because the expiration depends on the time of submission. */
function useRepeatable() {
  const last = useRef<{ form: string; input: KeyInput }>(undefined);
  return (fields: object, createInput: () => KeyInput): KeyInput => {
    const form = JSON.stringify(fields);
    if (last.current?.form !== form) {
      last.current = { form, input: { ...createInput(), idempotencyKey: newIdempotencyKey() } };
    }
    return last.current.input;
  };
}
