import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no #root.");
// Renders in slices, so that the browser can respond in between.
startTransition(() => createRoot(root).render(<App />));
