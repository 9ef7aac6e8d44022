// The page of /graphiql. It bundles everything it needs, so it works offline.
import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "./explorer.css";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { parse } from "graphql";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { KEY_EXAMPLES, MEMBER_EXAMPLE } from "../example";

const PLACEHOLDER = "<API_KEY>";

const { href, protocol } = new URL("/graphql", location.href);

const isAuthorization = (name) => name.toLowerCase() === "authorization";

/** Omits the session cookie if an Authorization header is present, so that only the key in the header is used. */
const request = (url, init) =>
  fetch(url, {
    ...init,
    credentials: Object.keys(init.headers).some(isAuthorization) ? "omit" : "same-origin",
  });

const send = createGraphiQLFetcher({
  url: href,
  subscriptionUrl: href.replace(protocol, protocol === "https:" ? "wss:" : "ws:"),
  fetch: request,
});

/** The last credentials that were typed. */
let typed;

/**
 * Replaces the placeholder with the credentials typed in another tab; if there are none, omits the header, so
 * that the schema still loads.
 */
const withCredentials = (headers = {}) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (!isAuthorization(name)) return [[name, value]];
      if (!String(value).includes(PLACEHOLDER)) typed = value;
      return typed === undefined ? [] : [[name, typed]];
    }),
  );

/** Parses a query; undefined if its syntax is wrong, which the server reports. */
function parsed(query) {
  try {
    return parse(query);
  } catch {
    return undefined;
  }
}

/** Reads the operations from the query, because GraphiQL updates them a moment after its tab has changed. */
function fetcher({ operationName, ...params }, options) {
  const documentAST = parsed(params.query);
  const isThere = documentAST?.definitions.some(({ name }) => name?.value === operationName);
  const headers = withCredentials(options?.headers);
  return send({ ...params, ...(isThere && { operationName }) }, { ...options, documentAST, headers });
}

/** The e-mail address of the signed-in member; undefined if there is none. */
const email = await request(href, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query: "{ viewer { email } }" }),
})
  .then((response) => response.json())
  .then(({ data }) => data?.viewer?.email)
  .catch(() => undefined);
const headers =
  email === undefined ? JSON.stringify({ Authorization: `Bearer ${PLACEHOLDER}` }, null, 2) : "";
const examples = email === undefined ? KEY_EXAMPLES : [MEMBER_EXAMPLE];

document.getElementById("caller").textContent =
  email === undefined
    ? "Put your API key into the Authorization header below, then press the play button."
    : `Signed in as ${email}. Requests without an Authorization header use your session.`;

/** The color scheme chosen in the dashboard; undefined if none was chosen. */
const chosen = ["light", "dark"].find((each) => each === localStorage.getItem("mantine-color-scheme-value"));
if (chosen !== undefined) document.documentElement.style.colorScheme = chosen;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

const root = document.getElementById("root");

// GraphiQL's tabs contain buttons, which screen readers ignore within tabs, so the tabs become list items.
new MutationObserver(() => {
  root.querySelector(".graphiql-tabs")?.removeAttribute("role");
  for (const tab of root.querySelectorAll(".graphiql-tab[aria-selected]")) {
    tab.querySelector(".graphiql-tab-button").ariaCurrent = tab.ariaSelected;
    tab.removeAttribute("role");
    tab.removeAttribute("aria-selected");
  }
}).observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-selected"] });

const page = createRoot(root);

/** Called again when the system's color scheme changes, because GraphiQL does not follow it on its own. */
const render = () =>
  page.render(
    createElement(GraphiQL, {
      fetcher,
      defaultTabs: examples.map((query) => ({ query, headers })),
      initialHeaders: headers,
      defaultHeaders: headers,
      defaultEditorToolsVisibility: email === undefined ? "headers" : false,
      // Keeps API keys out of the browser's storage; otherwise, the history stores the headers of each query.
      shouldPersistHeaders: false,
      plugins: [],
      forcedTheme: chosen ?? (prefersDark.matches ? "dark" : "light"),
    }),
  );

prefersDark.addEventListener("change", render);
render();
