import "@mantine/core/styles/default-css-variables.css";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { pageAt } from "./pages";
import { keepFocus } from "./ui/keep-focus";
import { withoutSecrets } from "./ui/secrets";

// A link or bookmark may contain a secret. Keep the fragment, because it holds an invitation token.
const address = location.pathname + location.search;
if (withoutSecrets(address) !== address) {
  history.replaceState(history.state, "", withoutSecrets(address) + location.hash);
}

// The page's code is needed as soon as the session is known.
void pageAt(location.pathname.replace(/^\/dashboard\/?/, "/"))?.load();

keepFocus();

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no #root.");
// Renders in slices, so that the browser can respond in between.
startTransition(() => createRoot(root).render(<App />));
