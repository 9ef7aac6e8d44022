import type { Permission } from "../api/documents.generated";
import { loaded } from "../ui/loaded";

/** Shown until the managers have loaded. */
export const ANY_MANAGER = "a manager of your organization";

const { component: ManagerList } = loaded(async () => (await import("./manager-list")).ManagerList);

/** Names the people to ask for a permission: "Ask a, b, or c for the permission `config:manage`." */
export const AskForPermission = ({ permission }: { permission: Permission | undefined }) => (
  <>
    Ask <Managers /> for the permission <code>{permission?.replace("_", ":")}</code>.
  </>
);

/** The members to ask for access: they can grant permissions, and every member may see who they are. */
export const Managers = () => <ManagerList fallback={ANY_MANAGER} failed={ANY_MANAGER} />;
