/**
 * Makes something when it is asked for first, and keeps it: with all that a browser reads to write dates and numbers,
 * formats would hold up the first page by more than drawing it.
 */
export function whenNeeded<Thing>(make: () => Thing): () => Thing {
  let made: Thing | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
