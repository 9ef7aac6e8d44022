import { usePolledQuery } from "../api/client";
import { LineNamesDocument } from "../conversations/documents.generated";
import { useViewer } from "../session/session";
import { FilterChip } from "../ui/filter-chip";
import { FilterSelect } from "../ui/filter-select";
import type { ListAddress } from "../ui/list-address";

/**
 * A filter by line. For managers, who may list the lines, it is a select if the list is about one agent; otherwise, it
 * is a chip, shown only if a link has set the filter.
 * @param agentId the agent that the list is about; null if there are several
 * @param by how the URL names the line
 * @param name the line's name for the chip, or while the line is not an option
 */
export function LineFilter(props: {
  address: ListAddress;
  agentId: string | null;
  by: "id" | "name";
  name: string;
}) {
  const { address, agentId, by, name } = props;
  const { manages } = useViewer();
  const isChoice = manages && agentId !== null;
  const lines = usePolledQuery(
    LineNamesDocument,
    { agentId: agentId ?? "" },
    { enabled: isChoice, pollMs: 60_000 },
  ).data?.lines;
  if (!isChoice) return <FilterChip address={address} name="line" label="Line" value={name} />;
  // Shown before its options are loaded, to avoid a layout shift.
  const options = lines?.map((line) => ({ value: line[by], label: line.name })) ?? [];
  return (
    <FilterSelect
      address={address}
      name="line"
      label="Line"
      all="All lines"
      options={options}
      labelOf={() => name}
    />
  );
}
