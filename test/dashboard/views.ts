import type { Page } from "playwright-core";
import { publish } from "../support/decisions";
import { mint, operator, type TestGateway } from "../support/gateway";
import { addMember, addOrganization, invite } from "../support/people";
import { addEndpoint } from "../support/webhooks";
import { fillInbox, type Inbox } from "./inbox";
import { act, dialogOf, rowOf, seen, seenInTime } from "./visit";

/** A dialog or state of a page. */
export interface View {
  path: string | ((inbox: Inbox) => string);
  /** The owner by default; null for no session. */
  as?: "viewer" | "empty" | "deactivated" | "configuring" | null;
  /** Brings the page into the state. */
  open?: (page: Page, gateway: TestGateway) => Promise<void>;
  /** True for a dialog as it opens, which another suite checks at every width; it is only for screenshots. */
  isPlainDialog?: true;
  /** True if later views in the same browser page would show data that this view leaves behind. */
  alone?: true;
}

/** The data of the views. */
export interface Filled {
  people: Record<string, { email: string; password: string }>;
  inbox: Inbox;
}

/** Adds the data that the views show. */
export async function fill(gateway: TestGateway): Promise<Filled> {
  const people: Filled["people"] = {};
  const context = await operator(gateway);
  await gateway.services.agents.create(context, { slug: "support", name: "Support desk" });
  for (const name of ["billing", "website", "nightly report of everything that happened at night"]) {
    const { id, secret } = await mint(gateway, { name });
    const call = () => gateway.rest("GET", "/agent/whoami", { token: secret });
    for (let i = 0; i < name.length; i++) await call();
    if (name === "website") await gateway.services.keys.revoke(context, id);
    await call();
  }
  const { id } = await mint(gateway, { agent: "support", name: "crm" });
  await gateway.services.keys.rotate(context, { id, graceSeconds: 3600 });
  await mint(gateway, { name: "temporary", expiresAt: new Date(Date.now() + 86_400_000) });
  await addEndpoint(gateway);
  await invite(gateway, { email: "invited@example.com" });
  await gateway.rest("POST", "/agent/decisions", {
    body: { situation: { type: "order.shipped", data: { orderId: "1" } } },
  });
  const inbox = await fillInbox(gateway);
  people.viewer = await addMember(gateway, { email: "viewer@example.com" });
  const { manager } = await addOrganization(gateway, "empty");
  people.empty = manager;
  const closed = await addOrganization(gateway, "closed");
  await gateway.services.organizations.deactivate(await operator(gateway, "closed"));
  people.deactivated = closed.manager;
  people.configuring = await withDraft(gateway);
  return { people, inbox };
}

/** Adds an organization whose agent has decided and has a draft with another result. */
async function withDraft(gateway: TestGateway) {
  const { agentId, manager } = await addOrganization(gateway, "configuring");
  const context = await operator(gateway, "configuring");
  const long = "x".repeat(60);
  const draft = {
    format: 1,
    situations: { "order.shipped": { orderId: "string" } },
    templates: { [long]: `Order {{ situation.data.orderId }} ${"y".repeat(100)}`, unused: "unused" },
    rules: [
      {
        id: long,
        on: "order.shipped",
        when: [`situation.data.orderId == "${"z".repeat(96)}"`],
        do: [{ send: long }],
      },
    ],
    otherwise: [{ handoff: long }],
  };
  const { secret } = await mint(gateway, { agent: "configuring-agent" });
  await gateway.rest("POST", "/agent/decisions", {
    token: secret,
    body: { situation: { type: "order.shipped", data: { orderId: "A1" } } },
  });
  await publish(gateway, agentId, draft);
  await gateway.services.configurations.saveDraft(context, agentId, { ...draft, burstSeconds: 5 }, 0);
  return manager;
}

const editorOf = (page: Page) => page.getByRole("textbox", { name: "Configuration as JSON" });

/** Dialogs and states of pages. */
export const VIEWS: Record<string, View> = {
  "sign-in": { path: "", as: null, open: (page) => seen(page.getByLabel("Password")) },
  "sign-in rejected": {
    path: "",
    as: null,
    open: async (page) => {
      await page.getByLabel("E-mail").fill("unknown@example.com");
      await page.getByLabel("Password", { exact: true }).fill("wrong");
      await page.keyboard.press("Enter");
      await seen(page.getByRole("alert"));
    },
  },
  "invitation of somebody else": {
    path: "/invitation",
    alone: true,
    open: async (page, gateway) => {
      const { link } = await invite(gateway);
      await page.evaluate((hash) => location.replace(hash), new URL(link).hash);
      await seen(page.getByRole("button", { name: "Sign out first" }));
    },
  },
  invitation: {
    path: "/invitation",
    as: null,
    alone: true,
    open: async (page, gateway) => {
      const { link } = await invite(gateway);
      await page.evaluate((hash) => location.replace(hash), new URL(link).hash);
      await seen(page.getByRole("heading", { name: "Join " }));
    },
  },
  "invitation that is gone": {
    path: "/invitation#agi_unknown",
    as: null,
    alone: true,
    open: (page) => seen(page.getByRole("alert")),
  },
  "overview 30 days": {
    path: "?period=30d",
    open: (page) => seenInTime(rowOf(page, "website").getByText("View requests")),
  },
  "overview of a new organization": {
    path: "",
    as: "empty",
    open: (page) => seen(page.getByText("0 of 4 done").or(page.getByText("1 of 4 done"))),
  },
  "overview for a viewer": { path: "", as: "viewer", open: (page) => seen(rowOf(page, "Support desk")) },
  "api-keys empty": {
    path: "/api-keys",
    as: "empty",
    open: (page) => seen(page.getByText("No API keys yet")),
  },
  "api-keys not permitted": { path: "/api-keys", as: "viewer" },
  "api-keys deactivated": {
    path: "/api-keys",
    as: "deactivated",
    open: (page) => seen(page.getByRole("note")),
  },
  "api-keys create": {
    path: "/api-keys?create=yes",
    open: async (page) => {
      await dialogOf(page).getByText("Advanced").click();
      await seen(dialogOf(page).getByLabel("Allowed networks"));
    },
  },
  "api-keys create for the organization": {
    path: "/api-keys?create=yes",
    open: async (page) => {
      await dialogOf(page).getByLabel("Agent").selectOption("None – manages the organization");
      await seen(dialogOf(page).getByLabel("audit:read"));
    },
  },
  "api-keys secret": {
    path: "/api-keys?create=yes",
    alone: true,
    open: async (page) => {
      await dialogOf(page).getByLabel("Name").fill(`shown ${Math.random()}`);
      await page.keyboard.press("Enter");
      await seen(dialogOf(page).getByText("Copy this key now."));
    },
  },
  "api-keys secret uncopied": {
    path: "/api-keys?create=yes",
    alone: true,
    open: async (page) => {
      await dialogOf(page).getByLabel("Name").fill(`not copied ${Math.random()}`);
      await page.keyboard.press("Enter");
      await dialogOf(page).getByRole("button", { name: "Done" }).click();
      await seen(dialogOf(page).getByRole("alert"));
    },
  },
  "api-keys rotate": {
    isPlainDialog: true,
    path: "/api-keys",
    open: async (page) => {
      await act(page, "billing", "Rotate");
      await seen(dialogOf(page).getByLabel("Keep the old key working for"));
    },
  },
  "api-keys revoke": {
    isPlainDialog: true,
    path: "/api-keys",
    open: async (page) => {
      await act(page, "billing", "Revoke");
      await seen(dialogOf(page).getByText("This can’t be undone."));
    },
  },
  "api-keys settings": {
    isPlainDialog: true,
    path: "/api-keys",
    open: async (page) => {
      await act(page, "billing", "Settings");
      await seen(dialogOf(page).getByLabel("Allowed networks"));
    },
  },
  "api-keys menu": {
    path: "/api-keys",
    open: async (page) => {
      await page.getByRole("button", { name: "Actions for billing" }).click();
      await seen(page.getByRole("menuitem", { name: "Revoke" }));
    },
  },
  "api-key": {
    path: "/api-keys?search=website",
    open: async (page) => {
      await rowOf(page, "website").getByRole("link").click();
      await seen(page.getByText("Something still uses this key."));
      await page.getByRole("group", { name: /accepted/ }).focus();
      await page.keyboard.press("End");
      await seen(page.locator("figcaption").getByText("Rejected"));
    },
  },
  "api-key unknown": {
    path: "/api-keys/unknown",
    open: (page) => seen(page.getByRole("heading", { name: "API key not found" })),
  },
  "api-keys rename": {
    isPlainDialog: true,
    path: "/api-keys",
    open: async (page) => {
      await act(page, "billing", "Rename");
      await seen(dialogOf(page).getByLabel("New name"));
    },
  },
  "configuration dry run": {
    path: "/configuration",
    as: "configuring",
    open: async (page) => {
      await page.getByRole("button", { name: "Dry run" }).click();
      await seen(page.getByText("Effects"));
    },
  },
  "configuration publish": {
    path: "/configuration/publish",
    as: "configuring",
    open: (page) => seen(page.getByRole("table", { name: "Decisions that would change" })),
  },
  "configuration compare": {
    path: "/configuration/publish",
    as: "configuring",
    open: async (page) => {
      await page.getByRole("button", { name: "Compare…" }).click();
      await seen(dialogOf(page).getByText("Hand off to a human"));
    },
  },
  "configuration version": {
    path: "/configuration/2",
    as: "configuring",
    open: (page) => seen(page.getByRole("region", { name: "Changes from version 1 to 2" })),
  },
  "configuration restore": {
    path: "/configuration/1",
    as: "configuring",
    open: async (page) => {
      await page.getByRole("button", { name: "Restore…" }).click();
      await seen(dialogOf(page).getByLabel("Note"));
    },
  },
  // The last view of a configuration, because the browser keeps the typed text.
  "configuration with problems": {
    path: "/configuration",
    as: "configuring",
    open: async (page) => {
      await seen(editorOf(page));
      await editorOf(page).focus();
      await page.keyboard.press("ControlOrMeta+Home");
      await page.keyboard.press("End");
      await page.keyboard.insertText('"burstSeconds": 99, "otherwise": "nothing",');
      await seen(page.getByRole("list", { name: "Problems" }));
      await page.keyboard.type("\n");
      await page.keyboard.press("ControlOrMeta+Space");
      await seen(page.getByRole("listbox", { name: "Completions" }));
    },
  },
  "audit-log": {
    path: "/settings/audit-log",
    open: async (page) => {
      await page.locator("summary").first().click();
      await page.getByLabel("Date").selectOption("Custom range");
      await seen(page.getByLabel("From"));
    },
  },
  "organization deactivate": {
    isPlainDialog: true,
    path: "/settings/organization",
    open: async (page) => {
      await page.getByRole("button", { name: "Deactivate…" }).click();
      await seen(dialogOf(page).getByLabel("Type first to confirm"));
    },
  },
  "agents create": {
    isPlainDialog: true,
    path: "/agents?create=yes",
    open: (page) => seen(dialogOf(page).getByLabel("Slug")),
  },
  agent: {
    path: "/agents",
    open: async (page) => {
      await rowOf(page, "First agent").getByRole("link", { name: "First agent" }).click();
      await seen(page.getByRole("list", { name: "Recent decisions" }).getByRole("listitem"));
    },
  },
  "agent delete": {
    isPlainDialog: true,
    path: "/agents",
    open: async (page) => {
      await page.getByRole("button", { name: "Actions for Support desk" }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await seen(dialogOf(page).getByLabel("Type support to confirm"));
    },
  },
  "lines create": {
    path: "/lines?create=yes",
    open: (page) =>
      dialogOf(page)
        .getByLabel("Kind")
        .selectOption("E-mail")
        .then(() => undefined),
  },
  line: {
    path: "/lines",
    open: async (page) => {
      await rowOf(page, "main").getByRole("link").click();
      await seen(page.getByRole("region", { name: "Receive messages" }));
    },
  },
  "line tested": {
    path: "/lines",
    open: async (page) => {
      await page.getByRole("button", { name: "Actions for main" }).click();
      await page.getByRole("menuitem", { name: "Send test message…" }).click();
      await dialogOf(page).getByRole("button", { name: "Send test message" }).click();
      await seen(dialogOf(page).getByText("It works"));
    },
  },
  "webhooks create": {
    path: "/webhooks?create=yes",
    open: (page) =>
      dialogOf(page)
        .getByLabel("Events")
        .selectOption("Only some…")
        .then(() => undefined),
  },
  webhook: {
    path: "/webhooks",
    open: async (page) => {
      await rowOf(page, "93.184.215.14").getByRole("link").click();
      await seen(page.getByText("No deliveries yet"));
    },
  },
  "members invite": {
    isPlainDialog: true,
    path: "/settings/members",
    open: async (page) => {
      await page.getByRole("button", { name: "Invite member" }).click();
      await seen(dialogOf(page).getByLabel("E-mail"));
    },
  },
  "members sessions": {
    isPlainDialog: true,
    path: "/settings/members",
    open: async (page) => {
      await page.getByRole("button", { name: "Actions for viewer@example.com" }).click();
      await page.getByRole("menuitem", { name: "Sessions…" }).click();
      await seen(dialogOf(page).getByRole("button", { name: /^End the session/ }));
    },
  },
  "profile passkey": {
    path: "/settings/profile",
    open: async (page) => {
      await page.getByRole("button", { name: "Add passkey…" }).click();
      await seen(dialogOf(page).getByLabel("Name"));
    },
  },
  "profile password rejected": {
    path: "/settings/profile",
    open: async (page) => {
      await page.getByRole("button", { name: "Change password…" }).click();
      await dialogOf(page).getByLabel("Current password", { exact: true }).fill("wrong");
      await dialogOf(page).getByLabel("New password", { exact: true }).fill("long enough for a password");
      await page.keyboard.press("Enter");
      await seen(dialogOf(page).getByText("The current password is wrong."));
    },
  },
  conversation: {
    path: (inbox) => `/conversations/${inbox.conversation}`,
    open: async (page) => {
      await page.getByRole("button", { name: "attempts" }).first().click();
      await seen(page.getByText("No attempts yet."));
      await seen(page.getByRole("list", { name: "Tags" }));
    },
  },
  "conversation move": {
    isPlainDialog: true,
    path: (inbox) => `/conversations/${inbox.conversation}`,
    open: async (page) => {
      await page.getByRole("button", { name: "Actions for this conversation" }).click();
      await page.getByRole("menuitem", { name: "Move" }).click();
      await seen(dialogOf(page).getByLabel("Queued messages"));
    },
  },
  "conversation new": {
    isPlainDialog: true,
    path: "/conversations",
    open: async (page) => {
      await page.getByRole("button", { name: "New conversation" }).click();
      await seen(dialogOf(page).getByLabel("First message"));
    },
  },
  contact: {
    path: (inbox) => `/contacts/${inbox.contact}`,
    open: async (page) => {
      await page.getByText("plan", { exact: true }).click();
      await seen(page.getByRole("list", { name: "Recent decisions" }));
    },
  },
  "contact edit": {
    isPlainDialog: true,
    path: (inbox) => `/contacts/${inbox.contact}`,
    open: async (page) => {
      await page.getByRole("button", { name: "Edit" }).click();
      await seen(dialogOf(page).getByLabel("Attributes"));
    },
  },
  message: {
    path: (inbox) => `/messages/${inbox.message}`,
    open: (page) => seen(page.getByText("No attempts yet.")),
  },
  decision: {
    path: (inbox) => `/decisions/${inbox.decision}`,
    open: async (page) => {
      await page.getByLabel("Try it with").selectOption({ index: 1 });
      await seen(page.getByRole("status").getByText("The agent would make"));
    },
  },
  "pets add": {
    isPlainDialog: true,
    path: "/pets",
    open: async (page) => {
      await page.getByRole("button", { name: "Add pet" }).click();
      await seen(dialogOf(page).getByLabel("Category"));
    },
  },
  "no page": { path: "/nowhere" },
  "no gateway": {
    path: "",
    alone: true,
    open: async (page) => {
      await page.route("**/graphql", (route) => route.abort());
      await page.reload();
      await seen(page.getByRole("alert"));
    },
  },
};
