import { Button, Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import { Link, useSearchParams } from "wouter";
import { EXPIRING_DAYS } from "../../features/api-keys/api-key.limits";
import { usePolledQuery } from "../api/client";
import { AgentsDocument } from "../parts/documents.generated";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { loaded } from "../ui/loaded";
import { Card, Empty, Page } from "../ui/page";
import { Result } from "../ui/result";
import { Agents } from "./agents";
import { Attention } from "./attention";
import {
  ActivityDocument,
  AttentionDocument,
  FirstStepsDocument,
  UsageDocument,
  type UsagePeriod,
} from "./documents.generated";
import { Headline } from "./headline";
import { Rejections } from "./rejections";
import { useRemembered } from "./remembered";
import { Usage } from "./usage";

/** Loaded only for new organizations, and for members without permissions. */
const { component: GetStarted, useIsSettled } = loaded(
  async () => (await import("./get-started")).GetStarted,
);

/** Polling interval (ms); long because the figures sum many rows. */
const NUMBERS_INTERVAL_MS = 20_000;

/** True once there is data or a request has failed, so that one failing report does not hide the other sections. */
const isSettled = ({ data, isFetched, failureCount }: UseQueryResult): boolean =>
  data !== undefined || isFetched || failureCount > 0;

/** Figures for a period, the most used keys, and onboarding for a new organization. */
export function Overview() {
  const { organization } = useViewer();
  return (
    <Page title="Overview" lead={`Activity across ${organization.name}.`}>
      <Content />
    </Page>
  );
}

function Content() {
  const { manages, may, deactivated } = useViewer();
  const [params, setParams] = useSearchParams();
  const period: UsagePeriod = params.get("period") === "30d" ? "last_30_days" : "last_24_hours";
  const reads = may("conversations_read");
  // Members without permissions cannot see anything that could need attention.
  const attends = manages || reads;
  const [dismissed, dismiss] = useRemembered("get-started-dismissed");
  const [tried, markTried] = useRemembered("situation-tried");
  const wantsSteps = manages && !dismissed;
  const steps = usePolledQuery(FirstStepsDocument, {}, { enabled: wantsSteps, pollMs: 15_000 });
  const firstSteps = wantsSteps ? steps.data?.firstSteps : undefined;
  const done = firstSteps && { ...firstSteps, decisionMade: firstSteps.decisionMade || tried };
  const wasNew = useRef(false);
  // Onboarding stays visible until the page is closed, to show that every step is done.
  wasNew.current ||= done !== undefined && Object.values(done).includes(false);
  const showsSteps = !dismissed && (manages ? wasNew.current : !reads);
  const canShowSteps = useIsSettled(showsSteps);
  const agents = usePolledQuery(AgentsDocument, {}, { pollMs: 60_000 });
  const usage = usePolledQuery(
    UsageDocument,
    { period, days: EXPIRING_DAYS },
    { enabled: manages, pollMs: NUMBERS_INTERVAL_MS },
  );
  const activity = usePolledQuery(
    ActivityDocument,
    { period },
    { enabled: reads, pollMs: NUMBERS_INTERVAL_MS },
  );

  const attention = usePolledQuery(AttentionDocument, {}, { enabled: attends, pollMs: NUMBERS_INTERVAL_MS });

  // All sections are shown together, to avoid layout shifts.
  const isLoaded =
    agents.data &&
    (isSettled(steps) || !wantsSteps) &&
    (canShowSteps || !showsSteps) &&
    (isSettled(usage) || !manages) &&
    (isSettled(activity) || !reads) &&
    (isSettled(attention) || !attends);
  if (!isLoaded) return agents.error ? <Failure error={agents.error} retry={agents.refetch} /> : <Loading />;
  if (agents.data.agents.length === 0 && manages) return <NoAgents deactivated={deactivated} />;
  return (
    <>
      {attends && <Attention query={attention} manages={manages} />}
      {showsSteps && (
        <GetStarted agents={agents.data.agents} done={done} onTried={markTried} onDismiss={dismiss} />
      )}
      {/* Check permissions here, because a disabled query still returns its last data. */}
      <Headline
        usage={manages ? usage.data : undefined}
        activity={reads ? activity.data?.activity : undefined}
        period={period}
      />
      {reads && !activity.data && (
        <Card title="Messages and decisions">
          <Result query={activity} height={92}>
            {() => null}
          </Result>
        </Card>
      )}
      {manages ? (
        <>
          <Usage
            query={usage}
            period={period}
            onPeriod={(next) => setParams(next === "last_30_days" ? { period: "30d" } : {})}
          />
          {usage.data && <Rejections rejected={usage.data.rejected} period={period} />}
        </>
      ) : (
        <Agents agents={agents.data.agents} />
      )}
    </>
  );
}

/** Keys, lines and rules belong to an agent, so an agent must be created first. */
const NoAgents = ({ deactivated }: { deactivated: boolean }) => (
  <Card title="Get started">
    <Empty title="Create your first agent">
      <p>
        An agent has its own API keys, lines and rules. Once you have an agent, you can create a key for it.
      </p>
      {!deactivated && (
        <Button component={Link} href="/agents" size="xs">
          Create an agent
        </Button>
      )}
    </Empty>
  </Card>
);

const Loading = () => (
  <>
    <Skeleton height={98} radius="lg" mb="lg" />
    <Skeleton height={92} radius="lg" mb="lg" />
    <Skeleton height={440} radius="lg" mb="lg" />
    <Skeleton height={160} radius="lg" />
  </>
);
