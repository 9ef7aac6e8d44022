import { Skeleton } from "@mantine/core";
import { useSearchParams } from "wouter";
import { usePolledQuery } from "../api/client";
import {
  AgentsDocument,
  FirstStepsDocument,
  KeyUsageDocument,
  type UsagePeriod,
} from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Page } from "../ui/page";
import { Agents } from "./agents";
import { GetStarted } from "./get-started";
import { Rejections } from "./rejections";
import { Usage } from "./usage";

/** Usage is summed over many rows, so it is polled less often than the rest (ms). */
const USAGE_POLL_INTERVAL_MS = 20_000;

/** Onboarding, the usage of API keys, and the agents of the organization. */
export function Overview() {
  const { organization } = useViewer();
  return (
    <Page title="Overview" lead={`API usage across ${organization.name}.`}>
      <Content />
    </Page>
  );
}

function Content() {
  const { manages } = useViewer();
  const [params, setParams] = useSearchParams();
  const period: UsagePeriod = params.get("period") === "30d" ? "last_30_days" : "last_24_hours";
  const steps = usePolledQuery(FirstStepsDocument, {});
  const agents = usePolledQuery(AgentsDocument, {});
  const usage = usePolledQuery(
    KeyUsageDocument,
    { period },
    { enabled: manages, pollMs: USAGE_POLL_INTERVAL_MS },
  );
  const keyUsage = usage.data?.keyUsage;

  // Shown together, so that nothing moves when the last answer arrives.
  if (steps.data && agents.data && (keyUsage || !manages)) {
    return (
      <>
        <GetStarted {...steps.data.firstSteps} />
        {keyUsage && (
          <>
            <Usage
              usage={keyUsage}
              stale={usage.isPlaceholderData}
              period={period}
              onPeriod={(next) => setParams(next === "last_30_days" ? { period: "30d" } : {})}
            />
            <Rejections usage={keyUsage} period={period} />
          </>
        )}
        <Agents agents={agents.data.agents} usage={keyUsage} period={period} />
      </>
    );
  }
  const failed = [steps, agents, usage].find(({ error }) => error !== null);
  return failed ? <Failure error={failed.error} retry={failed.refetch} /> : <Loading />;
}

const Loading = () => (
  <>
    <Skeleton height={440} radius="lg" mb="lg" />
    <Skeleton height={160} radius="lg" />
  </>
);
