import { text } from "node:stream/consumers";

/** Reads a secret from standard input, without the trailing line break. */
export const secretFromStdin = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/, "");
