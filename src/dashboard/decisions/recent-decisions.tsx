import { Link } from "wouter";
import { usePolledQuery } from "../api/client";
import styles from "../explanations/explanations.module.css";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { Card } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowList } from "../ui/row-list";
import { DecisionsDocument } from "./documents.generated";
import { OutcomeTag } from "./outcome";

/** Number of decisions shown here. */
const SHOWN = 5;

/** An agent's latest decisions, optionally about one contact, for pages that also show other content. */
export function RecentDecisions({ agentId, contactId }: { agentId: string; contactId?: string }) {
  const { data, error, refetch } = usePolledQuery(
    DecisionsDocument,
    { agentId, contactId: contactId ?? null, first: SHOWN },
    { pollMs: 15_000 },
  );
  const list = data?.decisions;
  return (
    <Card title="Recent decisions">
      {error !== null && list === undefined ? (
        <Failure error={error} retry={refetch} />
      ) : list?.nodes.length === 0 ? (
        <p className={styles.body}>
          No decisions yet.
          {contactId === undefined &&
            " The agent decides when a contact writes, or when your app submits a situation."}
        </p>
      ) : (
        <RowList
          label="Recent decisions"
          rows={(list?.nodes ?? []).map(({ id, situation, dataPreview, createdAt, ...decision }) => ({
            href: `/decisions/${id}`,
            title: situation.type,
            details: [dataPreview],
            state: <OutcomeTag {...decision} />,
            time: <Time value={createdAt} />,
          }))}
        />
      )}
      {list?.pageInfo.hasNextPage && (
        <p className={pageStyles.foot}>
          <Link href={`/decisions?agent=${agentId}${contactId === undefined ? "" : `&contact=${contactId}`}`}>
            View all decisions
          </Link>
        </p>
      )}
    </Card>
  );
}
