import "@mantine/core/styles/default-css-variables.css";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { newTask } from "./api/execute";
import { App } from "./app";
import { pageAt } from "./pages";
import { ignoreHeldEnter } from "./ui/held-enter";
import { keepFocus } from "./ui/keep-focus";
import { withoutSecrets } from "./ui/secrets";

// Remove secrets from the URL of a link or bookmark. Keep the fragment, because it may contain an invitation
// token.
const address = location.pathname + location.search;
if (withoutSecrets(address) !== address) {
  history.replaceState(history.state, "", withoutSecrets(address) + location.hash);
}

// Preload the page's code, which is needed as soon as the session has loaded.
void newTask().then(() => pageAt(location.pathname.replace(/^\/dashboard\/?/, "/"))?.load());

keepFocus();
ignoreHeldEnter();

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no #root.");
// Render in slices, so that the browser can handle input in between.
startTransition(() => createRoot(root).render(<App />));
