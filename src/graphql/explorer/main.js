// The page of /graphiql. It bundles everything it needs, so it works offline.
import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "./explorer.css";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { EXAMPLE } from "../example";

const PLACEHOLDER = "<API_KEY>";

const { href, protocol } = new URL("/graphql", location.href);

/** Sends no cookies, because the page acts only for the key in its headers editor, even if a member is signed in. */
const request = (url, init) => fetch(url, { ...init, credentials: "omit" });

const send = createGraphiQLFetcher({
  url: href,
  subscriptionUrl: href.replace(protocol, protocol === "https:" ? "wss:" : "ws:"),
  fetch: request,
});

/** Omits a header that still contains the placeholder, so that the schema loads without a key. */
const withoutPlaceholders = (headers = {}) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => !String(value).includes(PLACEHOLDER)));

const fetcher = (params, options) =>
  send(params, { ...options, headers: withoutPlaceholders(options?.headers) });

createRoot(document.getElementById("root")).render(
  createElement(GraphiQL, {
    fetcher,
    initialQuery: EXAMPLE,
    defaultQuery: EXAMPLE,
    initialHeaders: JSON.stringify({ Authorization: `Bearer ${PLACEHOLDER}` }, null, 2),
    defaultEditorToolsVisibility: "headers",
    // Keeps API keys out of the browser's storage; otherwise, the history stores the headers of each query.
    shouldPersistHeaders: false,
    plugins: [],
  }),
);
