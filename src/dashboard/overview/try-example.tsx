import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { execute } from "../api/execute";
import type { Json } from "../configuration/document-text";
import {
  AddressKind,
  ConfigurationDocumentsDocument,
  TrySituationDocument,
  type TrySituationMutation,
} from "../configuration/documents.generated";
import { doesNothing, EXAMPLE, exampleSituations } from "../configuration/example";
import { DecisionExplained } from "../configuration/explanation";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import styles from "./get-started.module.css";

/** The contact in the example, who need not exist. */
const CONTACT = { address: { kind: AddressKind.Local, address: "anna" } };

/** A button that tries an example with the agent's configuration and shows the decision. */
export function TryExample({ agentId, onTried }: { agentId: string; onTried: () => void }) {
  const { deactivated, may } = useViewer();
  const { busy, error, run } = useTask();
  const [tried, setTried] = useState<TrySituationMutation & { type: string }>();
  const decide = () =>
    run(async () => {
      const { configuration } = await execute(ConfigurationDocumentsDocument, { agentId });
      const own = exampleOf(configuration?.document);
      const situation = own ?? exampleOf(EXAMPLE);
      if (situation === undefined) return;
      const input = {
        agentId,
        situation,
        contact: CONTACT,
        dryRun: true,
        ...(own === undefined && { against: { document: EXAMPLE } }),
      };
      const mayRead = may("conversations_read");
      setTried({ ...(await execute(TrySituationDocument, { input, mayRead })), type: situation.type });
      onTried();
    });
  return (
    <>
      <Button
        size="xs"
        variant={tried ? "default" : "filled"}
        disabled={deactivated}
        loading={busy}
        onClick={decide}
      >
        {tried ? "Try again" : "Try an example"}
      </Button>
      <div role="status" aria-label="Result of the dry run">
        {error !== undefined && <Failure error={error} />}
        {error === undefined && tried && (
          <div className={styles.result}>
            <p className={styles.how}>
              In the situation <code>{tried.type}</code>:
            </p>
            <DecisionExplained decision={tried.decide} />
            <Link href={`/configuration?agent=${agentId}`}>Try your own situation →</Link>
          </div>
        )}
      </div>
    </>
  );
}

/** Returns an example for the first situation that a configuration declares; undefined if it does nothing. */
function exampleOf(document: Json | undefined): { type: string; data: Json } | undefined {
  if (document === undefined || doesNothing(document)) return undefined;
  const [example] = Object.entries(exampleSituations(document));
  return example && { type: example[0], data: example[1].data as Json };
}
