import { useDocumentTitle } from "@mantine/hooks";

/** The page title shown before the app was loaded. */
const title = document.getElementById("boot-title")?.textContent ?? "Gateway";

/** The outline of a page while the session is loading, identical to the one in `index.html`. */
export function LoadingShell() {
  useDocumentTitle(`${title} · Gateway`);
  return (
    <>
      <p className="visually-hidden" role="status">
        Loading
      </p>
      {/* A placeholder is not a heading to navigate to. */}
      <div className="boot" aria-hidden="true">
        <div className="boot-side">
          <p className="boot-brand">Gateway</p>
        </div>
        <main className="boot-content">
          <h1 className="boot-title">{title}</h1>
          <div className="boot-block" />
        </main>
      </div>
    </>
  );
}
