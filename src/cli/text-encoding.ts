/** The encodings by the byte order mark that a text starts with. */
const MARKS: readonly [encoding: string, ...mark: number[]][] = [
  ["utf-16le", 0xff, 0xfe],
  ["utf-16be", 0xfe, 0xff],
];

/**
 * Decodes UTF-8, and UTF-16 with a byte order mark, as PowerShell writes it.
 * @returns undefined if the bytes are not such a text, including if they contain U+0000, as UTF-16 without a mark does
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const [encoding = "utf-8"] = MARKS.find(([, ...mark]) => mark.every((byte, i) => bytes[i] === byte)) ?? [];
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
