// The same documents against a server whose heap is limited to 512 MB.
export { expect, run } from "./documents.mjs";

export const nodeFlags = ["--max-old-space-size=512"];
