import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the dashboard.");
// In slices, in between which the browser can answer.
startTransition(() => createRoot(root).render(<App />));
