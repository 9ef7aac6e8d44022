// One component, because all of its fields belong to one dry run, and choosing an example resets several of them.

import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { execute } from "../api/execute";
import type { Agent } from "../parts/agent-page";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Card } from "../ui/page";
import { Snippet } from "../ui/snippet";
import { useTask } from "../ui/task";
import styles from "./configuration.module.css";
import { type Json, parseText, textOf } from "./document-text";
import type { Draft, Live } from "./documents";
import {
  AddressKind,
  type ContactReference,
  type DecideInput,
  TestFromDryRunDocument,
  TrySituationDocument,
  type TrySituationMutation,
} from "./documents.generated";
import { useEdit } from "./edits";
import { exampleSituations } from "./example";
import { DecisionExplained } from "./explanation";
import { JsonField } from "./json-field";
import type { JsonSchema } from "./json-schema";
import { KeepAsTest } from "./keep-test";

/** Template for a situation with an undeclared type. */
const UNDECLARED = { type: "my.situation", data: {} };

/** Dry-runs a situation against a configuration, without storing or sending anything. */
export function TryIt({ agent, live, draft }: { agent: Agent; live: Live; draft: Draft | null }) {
  const { id: memberId, deactivated, may } = useViewer();
  const { edit } = useEdit(memberId, agent.id);
  const [chosen, setChosen] = useState<By>();
  const [assumed, setAssumed] = useState(NOTHING_ASSUMED);
  const typed = useMemo(() => edit && parseText(edit.text), [edit]);
  const choices: { value: By; label: string }[] = [
    { value: "live", label: `Live version ${live.version}` },
    ...(draft === null ? [] : [{ value: "draft" as const, label: "Saved draft" }]),
    ...(typed === undefined ? [] : [{ value: "typed" as const, label: "The text above" }]),
  ];
  // Defaults to the newest text, because the member is working on it. The selected choice disappears when the
  // draft is published or the typed text is saved.
  const by = choices.find(({ value }) => value === chosen)?.value ?? choices.at(-1)?.value ?? "live";
  const isBroken = by === "typed" && typed !== undefined && "problem" in typed;
  const shown =
    by === "typed" && typed !== undefined && "document" in typed
      ? typed.document
      : by === "draft"
        ? draft?.document
        : live.document;
  const examples = useMemo(() => exampleSituations(shown ?? live.document), [shown, live]);
  const [named, setNamed] = useState<string>();
  const type = named === "" || (named !== undefined && named in examples) ? named : Object.keys(examples)[0];
  const example = textOf(examples[type ?? ""] ?? UNDECLARED);
  // Undefined unless the member has edited the example, so that an unedited example follows the configuration.
  const [situation, setSituation] = useState<string>();
  const text = situation ?? example;
  const [about, setAbout] = useState<About>("none");
  const [contact, setContact] = useState("anna");
  const [decision, setDecision] = useState<TrySituationMutation & { input: DecideInput }>();
  const { busy, error, run, clearError } = useTask();
  // Creates a new schema object only if its content has changed, because a new object recreates the editor, which
  // loses the focus.
  const schemaText = JSON.stringify(schemaOf(examples));
  const schema = useMemo<JsonSchema>(() => JSON.parse(schemaText), [schemaText]);
  const parsed = parseText(text);

  const choose = (next: string) => {
    setNamed(next);
    setSituation(undefined);
    setDecision(undefined);
    clearError();
  };
  const input = { situation: "document" in parsed ? parsed.document : {}, ...referenceOf(about, contact) };
  const decide = () =>
    run(async () => {
      const { type: typeName, data } = input.situation as { type?: unknown; data?: unknown };
      const tried: DecideInput = {
        agentId: agent.id,
        ...input,
        situation: { type: String(typeName ?? ""), data: (data ?? {}) as Json },
        dryRun: true,
        ...(by === "draft" && { against: { draft: true } }),
        ...(by === "typed" && typed && "document" in typed && { against: { document: typed.document } }),
        ...assumptionsOf(assumed, about !== "none"),
      };
      const mayRead = may("conversations_read");
      // Fixes the time of the run, so that keeping the run as a test twice yields the same test.
      const repeated = { ...tried, as: { now: new Date().toISOString(), ...tried.as } };
      setDecision({ ...(await execute(TrySituationDocument, { input: tried, mayRead })), input: repeated });
    });
  return (
    <Card title="Try it">
      <div className={styles.trial}>
        <div className={styles.situation}>
          <div className={styles.fields}>
            <NativeSelect
              label="Decide with"
              data={choices}
              value={by}
              onChange={({ currentTarget }) => setChosen(currentTarget.value as By)}
            />
            <NativeSelect
              label="Example"
              data={[...Object.keys(examples), { value: "", label: "Another situation" }]}
              value={type ?? ""}
              onChange={({ currentTarget }) => choose(currentTarget.value)}
            />
            <NativeSelect
              label="About"
              data={[
                { value: "none", label: "No contact" },
                { value: "address", label: "A local address" },
                { value: "ref", label: "A contact’s ref" },
              ]}
              value={about}
              onChange={({ currentTarget }) => setAbout(currentTarget.value as About)}
            />
            {about !== "none" && (
              <TextInput
                label={about === "ref" ? "Ref" : "Address"}
                value={contact}
                maxLength={255}
                onChange={({ currentTarget }) => setContact(currentTarget.value)}
              />
            )}
          </div>
          <div className={styles.fields}>
            {ASSUMED.filter(({ ofContact }) => !ofContact || about !== "none").map(({ name, ...field }) => (
              <TextInput
                key={name}
                label={field.label}
                placeholder={field.example}
                value={assumed[name]}
                onChange={({ currentTarget: { value } }) => setAssumed({ ...assumed, [name]: value })}
              />
            ))}
          </div>
          <div className={styles.small}>
            <JsonField
              label="Situation as JSON"
              text={text}
              onChange={(next) => {
                setSituation(next === example ? undefined : next);
                clearError();
              }}
              schema={schema}
              marks={
                "problem" in parsed
                  ? [{ ...parsed.problem, path: "", isSyntax: true, severity: "error" }]
                  : NO_MARKS
              }
            />
          </div>
          {"problem" in parsed && <p className={styles.bad}>{parsed.problem.message}</p>}
          {!deactivated && (
            <div className={styles.choices}>
              <Button disabled={"problem" in parsed || isBroken} loading={busy} onClick={decide}>
                Dry run
              </Button>
              <span className={styles.aside}>Nothing is stored or sent.</span>
            </div>
          )}
        </div>
        <div className={styles.result} role="status" aria-label="Result of the dry run">
          {error !== undefined && <Failure error={error} />}
          {error === undefined && decision && (
            <>
              <DecisionExplained decision={decision.decide} />
              <div className={styles.keep}>
                <KeepAsTest agentId={agent.id} load={() => testFromDryRun(decision.input)} />
              </div>
            </>
          )}
          {error === undefined && !decision && (
            <p className={styles.none}>Do a dry run to see what the agent would do, and why.</p>
          )}
        </div>
      </div>
      <div className={styles.curl}>
        <p>
          Run this in a terminal to submit the situation for real (first:{" "}
          <code>export KEY=&lt;your API key&gt;</code>)
        </p>
        <Snippet text={curlOf(input)} what="the command" />
      </div>
    </Card>
  );
}

const NO_MARKS: never[] = [];

/** Repeats a dry run to create a test from it. */
const testFromDryRun = async (input: DecideInput): Promise<Json> =>
  (await execute(TestFromDryRunDocument, { input })).decide.test ?? {};

type By = "live" | "draft" | "typed";

/** The fields for a dry run's assumptions; an empty field assumes nothing. */
const ASSUMED = [
  { name: "now", label: "As if it were", example: "2026-12-24T18:00:00Z", ofContact: false },
  { name: "tags", label: "With the tags", example: "vip, news", ofContact: true },
  { name: "locale", label: "In the language", example: "de-CH", ofContact: true },
  { name: "timezone", label: "In the time zone", example: "Europe/Zurich", ofContact: true },
] as const;

type Assumed = Record<(typeof ASSUMED)[number]["name"], string>;

const NOTHING_ASSUMED: Assumed = { now: "", tags: "", locale: "", timezone: "" };

function assumptionsOf({ now, tags, locale, timezone }: Assumed, hasContact: boolean) {
  const contact = {
    ...(tags.trim() && { tags: tags.split(",").flatMap((tag) => tag.trim() || []) }),
    ...(locale.trim() && { locale: locale.trim() }),
    ...(timezone.trim() && { timezone: timezone.trim() }),
  };
  const isAbout = hasContact && Object.keys(contact).length > 0;
  if (now.trim() === "" && !isAbout) return {};
  return { as: { ...(now.trim() && { now: now.trim() }), ...(isAbout && { contact }) } };
}

type About = "none" | "ref" | "address";

function referenceOf(about: About, contact: string): { contact?: ContactReference } {
  if (about === "none") return {};
  return {
    contact: about === "ref" ? { ref: contact } : { address: { kind: AddressKind.Local, address: contact } },
  };
}

/** Returns the command that submits a situation; quotes within the JSON are escaped for the shell. */
const curlOf = (body: object): string =>
  [
    `curl ${window.location.origin}/agent/decisions`,
    '-H "Authorization: Bearer $KEY"',
    '-H "Content-Type: application/json"',
    `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join(" ");

/** Returns the schema of a configuration's situations, for completion. */
function schemaOf(examples: Readonly<Record<string, Json>>): JsonSchema {
  const members = Object.values(examples).flatMap(({ data }) => Object.entries(data as Json));
  const properties = Object.fromEntries(
    members.map(([name, value]) => [name, { type: Array.isArray(value) ? "array" : typeof value }]),
  );
  return {
    type: "object",
    properties: {
      type: { type: "string", enum: Object.keys(examples), description: "Type of the situation." },
      data: {
        type: "object",
        description: "Data of the situation, as declared in the configuration.",
        properties,
      },
    },
  };
}
