import { usePolledQuery } from "../api/client";
import { FilterChip } from "../ui/filter-chip";
import { FilterSelect } from "../ui/filter-select";
import { LineChoicesDocument } from "./documents.generated";

/**
 * A filter by line: a select if the list shows one agent, otherwise a chip if a link has set the filter.
 * @param agentId the only agent whose items are listed; null if there are several agents
 * @param by the property that identifies the line in the URL
 * @param name the label of the chip, and of a selected line that is not among the options
 */
export function LineFilter(props: { agentId: string | null; by: "id" | "name"; name: string }) {
  const { agentId, by, name } = props;
  const lines = usePolledQuery(
    LineChoicesDocument,
    { agentId: agentId ?? "" },
    { enabled: agentId !== null, pollMs: 60_000 },
  ).data?.lineChoices;
  if (agentId === null) return <FilterChip name="line" label="Line" value={name} />;
  // Shows the select even before its options are loaded, to avoid a layout shift.
  const options = lines?.map((line) => ({ value: line[by], label: line.name })) ?? [];
  return <FilterSelect name="line" label="Line" all="All lines" options={options} labelOf={() => name} />;
}
