import { loaded } from "../ui/loaded";

/** Named until the managers are known. */
export const ANY_MANAGER = "a manager of your organization";

const { component: ManagerList } = loaded(async () => (await import("./manager-list")).ManagerList);

/** The members to ask for access: they can grant permissions, and every member may see who they are. */
export const Managers = () => <ManagerList fallback={ANY_MANAGER} failed={ANY_MANAGER} />;
