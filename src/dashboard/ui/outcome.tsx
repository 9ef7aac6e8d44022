import { Alert } from "@mantine/core";

/** The result of a test. */
export interface TestOutcome {
  outcome: "accepted" | "permanent" | "retryable" | "uncertain";
  /** Human-readable description of the result. */
  detail: string;
}

const TITLES = {
  accepted: "It works",
  retryable: "Not delivered, but a real delivery would be retried",
  permanent: "Rejected",
  uncertain: "No answer",
};

export const Outcome = ({ outcome, detail }: TestOutcome) => (
  <Alert color={outcome === "accepted" ? "green" : "red"} role="none" title={TITLES[outcome]}>
    <p>{detail}</p>
  </Alert>
);
