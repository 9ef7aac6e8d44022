import { Link } from "wouter";
import { usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { Facts } from "../ui/facts";
import { formatCount } from "../ui/format";
import { Card } from "../ui/page";
import { Result } from "../ui/result";
import { LineActivityDocument, type LineCountFragment } from "./documents.generated";

/** A line's message counts, each linked to the list of these messages. */
export function LineMessages({ lineId, agentId }: { lineId: string; agentId: string }) {
  const { may } = useViewer();
  const query = usePolledQuery(LineActivityDocument, { id: lineId }, { pollMs: 20_000 });
  const reads = may("conversations_read");
  const list = `/messages?agent=${agentId}&line=${lineId}`;
  const linked = ({ count, isExact }: LineCountFragment, filter: string) => {
    const text = formatCount(count, isExact);
    return reads ? <Link href={`${list}&${filter}`}>{text}</Link> : text;
  };
  return (
    <Card title="Messages" aside={reads && <Link href={list}>View all</Link>}>
      <Result query={query} height={120}>
        {({ lineActivity: { queued, held, failed, sent } }) => (
          <Facts
            facts={{
              Queued: linked(queued, "status=queued"),
              Held: linked(held, "status=held"),
              "Failed in 24 hours": linked(failed, "status=failed&period=1"),
              "Sent in 24 hours": linked(sent, "status=left&period=1"),
            }}
          />
        )}
      </Result>
    </Card>
  );
}
