import { hash } from "node:crypto";

/** Returns the SHA-256 of a string's UTF-8 bytes as 64 hexadecimal characters. */
export const sha256 = (text: string): string => hash("sha256", text);
