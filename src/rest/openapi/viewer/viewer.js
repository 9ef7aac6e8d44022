// Appended to the viewer's script; lets the keyboard scroll pages without links or fields.
const explorer = document.querySelector("openapi-explorer");
explorer.addEventListener("spec-loaded", async () => {
  await explorer.updateComplete;
  explorer.shadowRoot.querySelector("main").tabIndex = 0;
});
