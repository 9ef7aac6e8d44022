import { type Icon, IconBuilding, IconChartBar, IconKey, IconList } from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { Permission } from "./api/documents.generated";
import { ApiKeys } from "./api-keys/api-keys";
import { AuditLog } from "./audit-log/audit-log";
import { Organization } from "./organization/organization";
import { Overview } from "./overview/overview";

/** A page of the dashboard, with its link in the navigation. */
export interface PageEntry {
  path: string;
  title: string;
  icon: Icon;
  /** The permission without which a member neither sees the link nor may open the page. */
  permission?: Permission;
  component: ComponentType;
  /** The heading of the links that this one is listed under. */
  group?: string;
}

/** All pages, in the order of the navigation. Routes and navigation are built from this list. */
export const PAGES: readonly PageEntry[] = [
  { path: "/", title: "Overview", icon: IconChartBar, component: Overview },
  {
    path: "/settings/api-keys",
    title: "API keys",
    icon: IconKey,
    permission: "config_manage",
    component: ApiKeys,
    group: "Settings",
  },
  {
    path: "/audit-log",
    title: "Audit log",
    icon: IconList,
    permission: "config_manage",
    component: AuditLog,
    group: "Settings",
  },
  {
    path: "/organization",
    title: "Organization",
    icon: IconBuilding,
    component: Organization,
    group: "Settings",
  },
];
