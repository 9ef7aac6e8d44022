import {
  type Icon,
  IconAddressBook,
  IconAdjustments,
  IconBuilding,
  IconChartBar,
  IconChecklist,
  IconGitBranch,
  IconKey,
  IconList,
  IconMail,
  IconMessages,
  IconPaw,
  IconRobot,
  IconRoute,
  IconUserCircle,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";
import type { Permission } from "./api/documents.generated";
import { type Loaded, loaded } from "./ui/loaded";

export interface PageEntry extends Loaded<object> {
  /** Route pattern, such as `/api-keys` or `/api-keys/:id`. */
  path: string;
  title: string;
  /** The icon of the page's link in the navigation; undefined for pages that are only linked from other pages. */
  icon?: Icon;
  /** The permission that a member needs to see the link and open the page. */
  permission?: Permission;
  /** The navigation heading that the page is listed under. */
  group?: string;
}

const INBOX = { permission: "conversations_read", group: "Inbox" } as const;
const BUILD = { permission: "config_manage", group: "Build" } as const;

/** All pages, in the order of the navigation. Routes and navigation are built from this list. */
export const PAGES: readonly PageEntry[] = [
  {
    path: "/",
    title: "Overview",
    icon: IconChartBar,
    ...loaded(async () => (await import("./overview/overview")).Overview),
  },
  {
    path: "/api-keys",
    title: "API keys",
    icon: IconKey,
    permission: "config_manage",
    ...loaded(async () => (await import("./api-keys/api-keys")).ApiKeys),
  },
  {
    path: "/api-keys/:id",
    title: "API key",
    permission: "config_manage",
    ...loaded(async () => (await import("./api-keys/api-key")).ApiKey),
  },
  {
    path: "/connect/:id",
    title: "Connect an application",
    permission: "config_manage",
    ...loaded(async () => (await import("./connect/connect")).Connect),
  },
  {
    path: "/agents",
    title: "Agents",
    icon: IconRobot,
    ...loaded(async () => (await import("./agents/agents")).Agents),
  },
  {
    path: "/agents/:id",
    title: "Agent",
    ...loaded(async () => (await import("./agents/agent-detail")).AgentDetail),
  },
  {
    path: "/conversations",
    title: "Conversations",
    icon: IconMessages,
    ...INBOX,
    ...loaded(async () => (await import("./conversations/conversations")).Conversations),
  },
  {
    path: "/conversations/:id",
    title: "Conversation",
    ...INBOX,
    ...loaded(async () => (await import("./conversations/conversation")).Conversation),
  },
  {
    path: "/to-review",
    title: "To review",
    icon: IconChecklist,
    ...INBOX,
    ...loaded(async () => (await import("./messages/to-review")).ToReview),
  },
  {
    path: "/contacts",
    title: "Contacts",
    icon: IconAddressBook,
    ...INBOX,
    ...loaded(async () => (await import("./contacts/contacts")).Contacts),
  },
  {
    path: "/contacts/:id",
    title: "Contact",
    ...INBOX,
    ...loaded(async () => (await import("./contacts/contact")).Contact),
  },
  {
    path: "/messages",
    title: "Messages",
    icon: IconMail,
    ...INBOX,
    ...loaded(async () => (await import("./messages/messages")).Messages),
  },
  {
    path: "/messages/:id",
    title: "Message",
    ...INBOX,
    ...loaded(async () => (await import("./messages/message")).Message),
  },
  {
    path: "/decisions",
    title: "Decisions",
    icon: IconGitBranch,
    ...INBOX,
    ...loaded(async () => (await import("./decisions/decision-list")).Decisions),
  },
  {
    path: "/decisions/:id",
    title: "Decision",
    ...INBOX,
    ...loaded(async () => (await import("./decisions/decision")).Decision),
  },
  {
    path: "/configuration",
    title: "Configuration",
    icon: IconAdjustments,
    ...BUILD,
    ...loaded(async () => (await import("./configuration/configuration")).Configuration),
  },
  {
    path: "/configuration/publish",
    title: "Publish the draft",
    ...BUILD,
    ...loaded(async () => (await import("./configuration/publish-page")).PublishPage),
  },
  {
    path: "/configuration/:version",
    title: "Version",
    ...BUILD,
    ...loaded(async () => (await import("./configuration/version-page")).VersionPage),
  },
  {
    path: "/lines",
    title: "Lines",
    icon: IconRoute,
    ...BUILD,
    ...loaded(async () => (await import("./lines/lines")).Lines),
  },
  {
    path: "/lines/:id",
    title: "Line",
    ...BUILD,
    ...loaded(async () => (await import("./lines/line-detail")).LineDetail),
  },
  {
    path: "/webhooks",
    title: "Webhooks",
    icon: IconWebhook,
    ...BUILD,
    ...loaded(async () => (await import("./webhooks/webhooks")).Webhooks),
  },
  {
    path: "/webhooks/:id",
    title: "Webhook",
    ...BUILD,
    ...loaded(async () => (await import("./webhooks/webhook-detail")).WebhookDetail),
  },
  {
    path: "/pets",
    title: "Pets",
    icon: IconPaw,
    ...loaded(async () => (await import("./pets/pets")).Pets),
    group: "Build",
  },
  {
    path: "/settings/organization",
    title: "Organization",
    icon: IconBuilding,
    ...loaded(async () => (await import("./organization/organization")).Organization),
    group: "Settings",
  },
  {
    path: "/settings/members",
    title: "Members",
    icon: IconUsers,
    ...loaded(async () => (await import("./members/members")).Members),
    group: "Settings",
  },
  {
    path: "/settings/audit-log",
    title: "Audit log",
    icon: IconList,
    permission: "config_manage",
    ...loaded(async () => (await import("./audit-log/audit-log")).AuditLog),
    group: "Settings",
  },
  {
    path: "/settings/profile",
    title: "Profile",
    icon: IconUserCircle,
    ...loaded(async () => (await import("./profile/profile")).Profile),
    group: "Settings",
  },
];

/** New addresses of moved pages, for bookmarks and links in e-mails. */
export const MOVED: Readonly<Record<string, string>> = {
  "/settings/api-keys": "/api-keys",
  "/audit-log": "/settings/audit-log",
  "/organization": "/settings/organization",
  "/settings": "/settings/organization",
};

/** Returns the page at a path below /dashboard. */
export const pageAt = (path: string): PageEntry | undefined =>
  PAGES.find((page) => new RegExp(`^${page.path.replace(/:\w+/g, "[^/]+")}/?$`).test(path));
