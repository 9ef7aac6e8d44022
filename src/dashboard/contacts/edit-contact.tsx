import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { ApiError, isConflict } from "../api/api-error";
import { change } from "../api/client";
import { execute } from "../api/execute";
import { parseText } from "../configuration/document-text";
import { changedFields } from "../ui/changed-fields";
import { FormDialog, type FormState } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import styles from "./contacts.module.css";
import {
  type AddressKind,
  ContactDocument,
  type ContactFragment,
  PutContactDocument,
  type PutContactInput,
} from "./documents.generated";
import { ADDRESS_KINDS } from "./open-conversation";

/** Parses the attributes' text, which may be empty. */
const attributesOf = (text: string) => (text.trim() === "" ? { document: {} } : parseText(text));

/** Returns the form's contact, as input for the API. */
function inputOf(form: FormData, agentId: string, contact: ContactFragment | undefined): PutContactInput {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const ref = contact?.ref ?? (text("ref") || undefined);
  const typed = text("address") && { kind: text("kind") as AddressKind, address: text("address") };
  // A contact without a `ref` is found by one of its addresses.
  const known = contact?.ref == null ? contact?.addresses[0] : undefined;
  const addresses = [
    ...(known ? [{ kind: known.kind, address: known.address }] : []),
    ...(typed ? [typed] : []),
  ];
  const attributes = attributesOf(text("attributes"));
  const fields = {
    name: text("name") || null,
    locale: text("locale") || null,
    timezone: text("timezone") || null,
    attributes: "document" in attributes ? attributes.document : {},
  };
  return {
    agentId,
    ...(ref !== undefined && { ref }),
    ...(addresses.length > 0 && { addresses }),
    ...(contact === undefined ? fields : changedFields(fields, contact)),
  };
}

const LABELS = { name: "name", locale: "language", timezone: "time zone", attributes: "attributes" };

type Editable = Pick<ContactFragment, keyof typeof LABELS>;

/**
 * Saves changes that are based on a version of a contact. Preserves other people's changes to other fields.
 * @throws Overlap if someone else changed the same fields; ApiError for other failures
 */
async function saveChanges(input: PutContactInput, base: ContactFragment): Promise<void> {
  for (let version = base.version; ; ) {
    try {
      await change(PutContactDocument, { input: { ...input, expectedVersion: version } });
      return;
    } catch (error) {
      const now = isConflict(error) ? (await execute(ContactDocument, { id: base.id })).contact : null;
      if (now === null || now.version === version) throw error;
      const theirs = changedFields(now, base);
      // A field that already has the new value was saved by an attempt whose response was lost.
      const mine = changedFields(input as Partial<Editable>, now);
      const both = (Object.keys(LABELS) as (keyof Editable)[]).filter(
        (name) => name in theirs && name in mine,
      );
      if (both.length > 0) throw new Overlap(both, now);
      version = now.version;
    }
  }
}

/** Thrown if someone else changed the same fields. */
class Overlap extends ApiError {
  /** The other person's values, as shown in the message; saving again overwrites them. */
  readonly named: Partial<Editable>;

  constructor(both: readonly (keyof Editable)[], now: ContactFragment) {
    const values = both.map((name) => `${LABELS[name]} (now ${shown(now[name])})`).join(" and ");
    super(
      `Someone else has changed the ${values}. Save again to use your ${both.length === 1 ? "value" : "values"} instead.`,
      "overlap",
    );
    this.named = Object.fromEntries(both.map((name) => [name, now[name]]));
  }
}

const shown = (value: unknown): string =>
  typeof value === "string" ? `“${value}”` : value === null ? "empty" : JSON.stringify(value);

/**
 * Adds a contact and opens its page, or changes an existing contact.
 * @param contact the contact to change; a new one if omitted
 */
export function EditContact(props: { agentId: string; contact?: ContactFragment; onClosed: () => void }) {
  const { agentId, onClosed } = props;
  const [, navigate] = useLocation();
  const [attributesProblem, setAttributesProblem] = useState<string>();
  // Keeps the contact as first shown, because other people may change it while the form is open.
  const [contact] = useState(props.contact);
  const [base, setBase] = useState(contact);
  const save = async (form: FormData) => {
    const input = inputOf(form, agentId, base);
    if (base !== undefined) {
      await saveChanges(input, base).catch((error) => {
        if (error instanceof Overlap) setBase({ ...base, ...error.named });
        throw error;
      });
      return toast("Saved the contact.");
    }
    const { putContact } = await change(PutContactDocument, { input });
    if (!putContact.created) toast("This contact already existed and was updated.");
    navigate(`/contacts/${putContact.contact.id}`);
  };
  return (
    <FormDialog
      title={contact === undefined ? "Add a contact" : "Edit contact"}
      submit={contact === undefined ? "Add contact" : "Save"}
      onSubmit={save}
      onClosed={onClosed}
    >
      {(state) => (
        <>
          <Names state={state} contact={contact} />
          <Address state={state} isNew={contact === undefined} />
          <div className={styles.pair}>
            <TextInput
              {...state.field("locale")}
              label="Language"
              placeholder="de-CH"
              defaultValue={contact?.locale ?? ""}
            />
            <TextInput
              {...state.field("timezone")}
              label="Time zone"
              placeholder="Europe/Zurich"
              defaultValue={contact?.timezone ?? ""}
            />
          </div>
          <Textarea
            name="attributes"
            label="Attributes"
            description="Your own data about the contact, as a JSON object."
            rows={4}
            spellCheck={false}
            defaultValue={
              contact === undefined || Object.keys(contact.attributes).length === 0
                ? ""
                : JSON.stringify(contact.attributes, null, 2)
            }
            onChange={({ currentTarget }) => {
              const parsed = attributesOf(currentTarget.value);
              const problem = "problem" in parsed ? parsed.problem.message : undefined;
              currentTarget.setCustomValidity(problem ?? "");
              setAttributesProblem(problem);
            }}
            error={attributesProblem ?? state.errorOf("attributes")}
          />
        </>
      )}
    </FormDialog>
  );
}

const Names = ({ state, contact }: { state: FormState; contact: ContactFragment | undefined }) => (
  <>
    <TextInput
      {...state.field("name")}
      label="Name"
      defaultValue={contact?.name ?? ""}
      maxLength={200}
      dir="auto"
      data-autofocus
    />
    {contact?.ref == null && (
      <TextInput
        {...state.field("ref")}
        label="Ref"
        description="Your own ID for the contact. It can’t be changed later."
        maxLength={255}
      />
    )}
  </>
);

const Address = ({ state, isNew }: { state: FormState; isNew: boolean }) => (
  <div className={styles.pair}>
    <NativeSelect
      name="kind"
      label={isNew ? "Kind of address" : "Add an address"}
      data={[...ADDRESS_KINDS]}
    />
    <TextInput {...state.field("address")} label="Address" />
  </div>
);
