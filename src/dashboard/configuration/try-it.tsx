import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Agent } from "../agents/agent-page";
import { execute } from "../api/execute";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Card } from "../ui/page";
import { Snippet } from "../ui/snippet";
import { useTask } from "../ui/task";
import styles from "./configuration.module.css";
import { type Json, parseText, textOf } from "./document-text";
import type { Live } from "./documents";
import {
  AddressKind,
  type ContactReference,
  TrySituationDocument,
  type TrySituationMutation,
} from "./documents.generated";
import type { JsonSchema } from "./editor/schema";
import { exampleSituations } from "./example";
import { DecisionExplained } from "./explanation";
import { JsonField } from "./json-field";

/** A situation that no configuration declares. */
const UNDECLARED = { type: "my.situation", data: {} };

/** Tries a situation with the live configuration, without storing or sending anything. */
export function TryIt({ agent, live }: { agent: Agent; live: Live }) {
  const { deactivated } = useViewer();
  const examples = useMemo(() => exampleSituations(live.document), [live]);
  const [type = "", setType] = useState(Object.keys(examples)[0]);
  const [text, setText] = useState(() => textOf(examples[type] ?? UNDECLARED));
  const [about, setAbout] = useState<About>("none");
  const [contact, setContact] = useState("anna");
  const [decision, setDecision] = useState<TrySituationMutation["decide"]>();
  const { busy, error, run, clearError } = useTask();
  const schema = useMemo(() => schemaOf(examples), [examples]);
  const parsed = parseText(text);

  const choose = (next: string) => {
    setType(next);
    setText(textOf(examples[next] ?? UNDECLARED));
    setDecision(undefined);
    clearError();
  };
  const input = { situation: "document" in parsed ? parsed.document : {}, ...referenceOf(about, contact) };
  const decide = () =>
    run(async () => {
      const { type: named, data } = input.situation as { type?: unknown; data?: unknown };
      const { decide: decided } = await execute(TrySituationDocument, {
        input: {
          agentId: agent.id,
          ...input,
          situation: { type: String(named ?? ""), data: (data ?? {}) as Json },
          dryRun: true,
        },
      });
      setDecision(decided);
    });
  return (
    <Card
      title="Try it"
      aside={<span className={styles.aside}>by the live version {live.version}, not by the draft</span>}
    >
      <div className={styles.trial}>
        <div className={styles.situation}>
          <div className={styles.fields}>
            <NativeSelect
              label="Example"
              data={[...Object.keys(examples), { value: "", label: "Another situation" }]}
              value={type}
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
          <div className={styles.small}>
            <JsonField
              label="Situation as JSON"
              text={text}
              onChange={(next) => {
                setText(next);
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
              <Button disabled={"problem" in parsed} loading={busy} onClick={decide}>
                Dry run
              </Button>
              <span className={styles.aside}>Nothing is stored or sent.</span>
            </div>
          )}
        </div>
        <div className={styles.result} role="status" aria-label="Result of the dry run">
          {error !== undefined && <Failure error={error} />}
          {error === undefined && decision && <DecisionExplained decision={decision} />}
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

type About = "none" | "ref" | "address";

function referenceOf(about: About, contact: string): { contact?: ContactReference } {
  if (about === "none") return {};
  return {
    contact: about === "ref" ? { ref: contact } : { address: { kind: AddressKind.Local, address: contact } },
  };
}

/** The command that submits a situation; quotes within the JSON are escaped for the shell. */
const curlOf = (body: object): string =>
  [
    `curl ${window.location.origin}/agent/decisions`,
    '-H "Authorization: Bearer $KEY"',
    '-H "Content-Type: application/json"',
    `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join(" ");

/** The schema of a configuration's situations, for completion. */
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
