import { text } from "node:stream/consumers";

/** Reads a secret from standard input, without the line break that ends it. */
export const secretFromStdin = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/, "");
