import { Button } from "@mantine/core";
import { change, usePolledQuery } from "../api/client";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { useMisclickGuard } from "../ui/misclick-guard";
import { Empty } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Result } from "../ui/result";
import { ACTIONS, columnsOf, DataTable } from "../ui/table";
import { Tag } from "../ui/tag";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { browserOf } from "./browser";
import { EndSessionDocument, SessionsDocument, type SessionsQuery } from "./documents.generated";
import styles from "./members.module.css";

const COLUMNS = columnsOf("Browser", "IP address", "Signed in", "Expires", ACTIONS);

/**
 * A member's active sessions; ending a session signs the member out there.
 * @param memberId another member; the signed-in member if omitted
 */
export function Sessions({ memberId = null }: { memberId?: string | null }) {
  const query = usePolledQuery(SessionsDocument, { memberId }, { pollMs: 20_000 });
  const guard = useMisclickGuard(query.data?.sessions.map(({ id }) => id) ?? []);
  const { busy, error, run } = useTask();
  return (
    <div className={pageStyles.container} {...guard}>
      {error !== undefined && <Failure error={error} />}
      <Result query={query} height={120}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <Empty title="No open sessions" />
          ) : (
            <DataTable
              label="Sessions"
              columns={COLUMNS}
              rows={sessions}
              cells={(session) => cellsOf(session, busy, run)}
            />
          )
        }
      </Result>
    </div>
  );
}

type Session = SessionsQuery["sessions"][number];

function cellsOf(session: Session, busy: boolean, run: ReturnType<typeof useTask>["run"]) {
  const { id, userAgent, ip, isCurrent, createdAt, expiresAt } = session;
  const browser = browserOf(userAgent);
  const end = () =>
    run(async () => {
      await change(EndSessionDocument, { id });
      toast("Ended the session.");
    });
  return [
    <span key="browser" title={userAgent ?? undefined} className={styles.long}>
      {browser} {isCurrent && <Tag tone="good">This one</Tag>}
    </span>,
    ip ?? "–",
    <Time key="created" value={createdAt} />,
    <Time key="expires" value={expiresAt} />,
    !isCurrent && (
      <span key="end" className={styles.end}>
        <Button
          size="compact-sm"
          variant="default"
          disabled={busy}
          aria-label={`End the session in ${browser} from ${ip ?? "an unknown address"}`}
          onClick={end}
        >
          End
        </Button>
      </span>
    ),
  ];
}
