import { useDebouncedValue } from "@mantine/hooks";
import { useMemo } from "react";
import { usePolledQuery } from "../api/client";
import { parseText } from "./document-text";
import { CheckConfigurationDocument, type ProblemFragment } from "./documents.generated";
import type { Mark } from "./editor/editor";

/** Delay between the last key press and the check (ms). */
const DEBOUNCE_MS = 400;

/** Checks the text as the user types: first as JSON, then as a configuration. */
export function useCheck(text: string, agentId: string) {
  const [typed] = useDebouncedValue(text, DEBOUNCE_MS);
  const parsed = useMemo(() => parseText(typed), [typed]);
  const document = "document" in parsed ? parsed.document : {};
  const { data, error, isFetching } = usePolledQuery(
    CheckConfigurationDocument,
    { document, agentId },
    { enabled: "document" in parsed, pollMs: Number.POSITIVE_INFINITY },
  );
  const marks = useMemo((): Mark[] => {
    if ("problem" in parsed) return [{ ...parsed.problem, path: "", isSyntax: true, severity: "error" }];
    const { problems = [], warnings = [] } = data?.checkConfiguration ?? {};
    return [
      ...problems.map((problem) => markOf(problem, "error")),
      ...warnings.map((warning) => markOf(warning, "warning")),
    ];
  }, [parsed, data]);
  return {
    marks,
    error: "document" in parsed ? error : null,
    /** True if the marks refer to the current text. */
    isCurrent: typed === text && !isFetching,
    isChecked: "problem" in parsed || data !== undefined,
  };
}

/** Returns the mark for a problem, such as "Is required." at `rules[0].id`. */
export const markOf = ({ path, message, position }: ProblemFragment, severity: Mark["severity"]): Mark => ({
  path,
  position,
  severity,
  message: `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`,
});
