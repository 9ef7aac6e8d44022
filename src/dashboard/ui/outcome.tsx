import { Alert } from "@mantine/core";

/** What came of a test. */
export interface TestOutcome {
  outcome: "accepted" | "permanent" | "retryable" | "uncertain";
  /** What happened, for people. */
  detail: string;
}

const TITLES = {
  accepted: "It works",
  retryable: "The receiver rejected it for now",
  permanent: "Rejected",
  uncertain: "No answer",
};

/** Shows what came of a test. */
export const Outcome = ({ outcome, detail }: TestOutcome) => (
  <Alert color={outcome === "accepted" ? "green" : "red"} role="none" title={TITLES[outcome]}>
    {detail}
  </Alert>
);
