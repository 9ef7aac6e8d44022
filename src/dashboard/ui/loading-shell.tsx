import { useDocumentTitle } from "@mantine/hooks";

/** The title of the page before the program was loaded. */
const title = document.getElementById("boot-title")?.textContent ?? "Gateway";

/** The outline of a page while the session is loading, as the document has it until then. */
export function LoadingShell() {
  useDocumentTitle(`${title} · Gateway`);
  return (
    <>
      <p className="visually-hidden" role="status">
        Loading
      </p>
      {/* A placeholder is no heading to navigate to. */}
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
