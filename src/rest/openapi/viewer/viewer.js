// Appended to the viewer's script; makes pages without links or fields scrollable by keyboard.
const explorer = document.querySelector("openapi-explorer");
explorer.addEventListener("spec-loaded", async () => {
  await explorer.updateComplete;
  explorer.shadowRoot.querySelector("main").tabIndex = 0;
});
