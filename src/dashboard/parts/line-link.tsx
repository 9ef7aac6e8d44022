import { Link } from "wouter";
import { useViewer } from "../session/session";

/** A line's name. For members who may see lines, links to the line's page or, without an ID, to the agent's lines. */
export function LineLink(props: { id?: string | null; agentId: string; name: string }) {
  const { id, agentId, name } = props;
  const { manages } = useViewer();
  if (!manages) return <bdi>{name}</bdi>;
  return (
    <Link href={`${id == null ? "/lines" : `/lines/${id}`}?agent=${agentId}`}>
      <bdi>{name}</bdi>
    </Link>
  );
}
