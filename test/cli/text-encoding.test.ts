import { secretIn } from "../../src/cli/stdin";
import { decodeText } from "../../src/cli/text-encoding";

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");

test("text is decoded from UTF-8, and from UTF-16 with a byte order mark", () => {
  for (const bytes of [Buffer.from("käse"), Buffer.from("\ufeffkäse"), utf16("käse"), utf16("käse").swap16()])
    expect(decodeText(bytes)).toBe("käse");
  for (const bytes of [Buffer.from("käse", "latin1"), Buffer.from("kase", "utf16le")])
    expect(decodeText(bytes)).toBeUndefined();
});

test("a secret is one line of text", () => {
  for (const end of ["", "\n", "\r\n"]) expect(secretIn(Buffer.from(`pä ss${end}`))).toBe("pä ss");
  expect(() => secretIn(Buffer.from("päss", "latin1"))).toThrow("not encoded in UTF-8");
  for (const text of ["one\ntwo", "one\n\n", "one\rtwo\n"])
    expect(() => secretIn(Buffer.from(text))).toThrow("more than one line");
});
