import { Button } from "@mantine/core";
import { ApiError } from "../api/api-error";
import { change } from "../api/client";
import { execute } from "../api/execute";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { type Json, parseText, textOf } from "./document-text";
import {
  ConfigurationDocumentsDocument,
  SaveConfigurationDraftDocument,
  TestFromDecisionDocument,
  type TestFromDecisionQueryVariables,
} from "./documents.generated";
import { useEdit } from "./edits";

/**
 * A button for managers that adds a test to their unsaved edit or, if there is none, to the draft.
 * @param load creates the test
 */
export function KeepAsTest(props: { agentId: string; load: () => Promise<Json>; label?: string }) {
  const { agentId, load, label = "Keep as test" } = props;
  const { id: memberId, deactivated, manages, may } = useViewer();
  const { currentEdit, setEdit } = useEdit(memberId, agentId);
  const { busy, error, run } = useTask();
  if (deactivated || !manages || !may("conversations_read")) return null;
  const keep = async () => {
    const test = await load();
    const edit = currentEdit();
    if (edit !== undefined) {
      const parsed = parseText(edit.text);
      if ("problem" in parsed)
        throw new ApiError("Your changes are not valid JSON. Fix them, then keep the test.", "conflict");
      const next = withTest(parsed.document, test);
      if (next === undefined) return toast("The test is already in your unsaved changes.");
      setEdit({ ...edit, text: textOf(next) });
      return toast("Added the test to your unsaved changes.");
    }
    const { configuration: live, configurationDraft: draft } = await execute(ConfigurationDocumentsDocument, {
      agentId,
    });
    const document = withTest(draft?.document ?? live?.document ?? {}, test);
    if (document === undefined)
      return toast(`The test is already in the ${draft === null ? "live version" : "draft"}.`);
    await change(SaveConfigurationDraftDocument, {
      agentId,
      document,
      expectedRevision: draft?.revision ?? 0,
      expectedBasedOn: draft?.basedOn ?? live?.version,
    });
    toast("Added the test to the draft.");
  };
  return (
    <>
      <Button variant="default" size="xs" loading={busy} onClick={() => void run(keep)}>
        {label}
      </Button>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}

/** Creates a test that expects a recorded decision's effects, or its effects under another configuration. */
export const testFromDecision = (variables: TestFromDecisionQueryVariables) => async (): Promise<Json> =>
  (await execute(TestFromDecisionDocument, variables)).testFromDecision.test;

/**
 * Adds a test to a document. If the test's ID is taken, a number is appended to it.
 * @returns undefined if the document already contains the test, even with another ID
 */
function withTest(document: Json, test: Json): Json | undefined {
  const tests: unknown[] = Array.isArray(document.tests) ? document.tests : [];
  const withoutId = (each: unknown) => JSON.stringify({ ...(each as Json), id: null });
  if (tests.some((each) => withoutId(each) === withoutId(test))) return undefined;
  const ids = new Set(tests.map((each) => (each as { id?: unknown } | null)?.id));
  let id = String(test.id);
  for (let number = 2; ids.has(id); number += 1) id = `${test.id}-${number}`;
  return { ...document, tests: [...tests, { ...test, id }] };
}
