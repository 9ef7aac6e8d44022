import { Link } from "wouter";
import type { Permission } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { loaded } from "../ui/loaded";
import { ANY_MANAGER } from "./any-manager";

const { component: ManagerList } = loaded(async () => (await import("./manager-list")).ManagerList);

/**
 * Names the people to ask for a permission: "Ask a, b, or c for the permission `config:manage`." Managers can grant
 * it to themselves.
 */
export function AskForPermission({ permission }: { permission: Permission | undefined }) {
  const { manages, deactivated } = useViewer();
  const name = <code>{permission?.replace("_", ":")}</code>;
  return manages && !deactivated ? (
    <>
      You can give yourself the permission {name} on the <Link href="/settings/members">Members</Link> page.
    </>
  ) : (
    <>
      Ask <Managers /> for the permission {name}.
    </>
  );
}

/** Names the managers to ask for access. They can grant permissions, and every member may see who they are. */
export const Managers = () => <ManagerList fallback={ANY_MANAGER} failed={ANY_MANAGER} />;
