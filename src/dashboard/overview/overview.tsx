import { Skeleton } from "@mantine/core";
import { useSearchParams } from "wouter";
import { useAnswer } from "../api/client";
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
import { FirstSteps } from "./first-steps";
import { Refusals } from "./refusals";
import { Usage } from "./usage";

/** Sums over many rows are not asked for as often as the rest (ms). */
const USAGE_POLL_MS = 20_000;

/** How the organization is doing: what to do first, how its keys are used, which agents it has. */
export function Overview() {
  const { organization } = useViewer();
  return (
    <Page title="Overview" lead={`What calls as the agents of ${organization.name}, and how often.`}>
      <Content />
    </Page>
  );
}

function Content() {
  const { manages } = useViewer();
  const [params, setParams] = useSearchParams();
  const period: UsagePeriod = params.get("period") === "30d" ? "last_30_days" : "last_24_hours";
  const steps = useAnswer(FirstStepsDocument, {});
  const agents = useAnswer(AgentsDocument, {});
  const usage = useAnswer(KeyUsageDocument, { period }, { enabled: manages, pollMs: USAGE_POLL_MS });
  const keyUsage = usage.data?.keyUsage;

  // Together, so that nothing moves once it is there.
  if (steps.data && agents.data && (keyUsage || !manages)) {
    return (
      <>
        <FirstSteps {...steps.data.firstSteps} />
        {keyUsage && (
          <>
            <Usage
              usage={keyUsage}
              stale={usage.isPlaceholderData}
              period={period}
              onPeriod={(next) => setParams(next === "last_30_days" ? { period: "30d" } : {})}
            />
            <Refusals usage={keyUsage} period={period} />
          </>
        )}
        <Agents agents={agents.data.agents} usage={keyUsage} period={period} />
      </>
    );
  }
  const failed = [steps, agents, usage].find(({ error }) => error !== null);
  return failed ? <Failure error={failed.error} retry={failed.refetch} /> : <Waiting />;
}

const Waiting = () => (
  <>
    <Skeleton height={440} radius="lg" mb="lg" />
    <Skeleton height={160} radius="lg" />
  </>
);
