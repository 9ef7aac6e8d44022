/** Undoes the global setup. */
export default async function globalTeardown(): Promise<void> {
  for (const undo of globalThis.undoGlobalSetup.reverse()) await undo();
}
