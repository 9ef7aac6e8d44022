import { createRoot } from "react-dom/client";
import { App } from "./app";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the dashboard.");
createRoot(root).render(<App />);
