// @ts-check
// The e-mail parser, which detects the encoding of text from its bytes.
const { dirname, join } = require("node:path");

/** Single-byte encodings. Text in one of these encodings is almost never valid UTF-8 by coincidence. */
const SINGLE_BYTE = /^(windows-125\d|iso-8859-\d+|macintosh)$/;

/** Matches the encoding declared at the start of HTML (HTML 5, 13.2.3.2). */
const META_CHARSET = /<meta\b[^<>]{0,200}?\bcharset\s*=\s*["']?([\w:-]{1,40})/i;
const META_BYTES = 2_048;

/** Max characters used to detect an encoding; a long text could exhaust the thread's memory. */
const SAMPLE_LENGTH = 65_536;

const NativeDecoder = TextDecoder;

/** Labels of old encodings that Node does not recognize. */
const OLD_LABELS = new Set([
  ...["utf-7", "utf7", "unicode-1-1-utf-7"],
  ...[437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 869].flatMap((page) => [
    `cp${page}`,
    `ibm${page}`,
  ]),
]);

/** Detects encodings from the bytes as well, because many programs declare none or a wrong one. */
globalThis.TextDecoder = /** @type {any} */ (
  class extends NativeDecoder {
    /**
     * @param {string} [label]
     * @param {ConstructorParameters<typeof TextDecoder>[1]} [options]
     */
    constructor(label = "utf-8", options) {
      super(OLD_LABELS.has(label) ? "utf-8" : label, options);
      this.oldLabel = OLD_LABELS.has(label) ? label : undefined;
    }

    /**
     * @override
     * @param {NodeJS.ArrayBufferView | ArrayBuffer | null} [input]
     * @param {{ stream?: boolean }} [options]
     */
    decode(input, options) {
      if (this.oldLabel !== undefined && input != null)
        return require("iconv-lite").decode(bytesOf(input), this.oldLabel);
      const text = super.decode(input ?? undefined, options);
      if (input == null || options?.stream) return text;
      if (this.encoding !== "utf-8") {
        if (!SINGLE_BYTE.test(this.encoding) || !/[^\0-\x7f]/.test(text)) return text;
        const mended = new NativeDecoder("utf-8").decode(input);
        return mended.includes(UNREADABLE) ? text : mended;
      }
      const first = text.search(/[^\0-\x7f]/);
      const isAscii = first < 0;
      const sample = text.slice(first, first + SAMPLE_LENGTH);
      const unreadable = sample.split(UNREADABLE).length - 1;
      // Truncated text may end in the middle of a character.
      if (!isAscii && 2 * unreadable <= sample.replace(/[\0-\x7f]+/g, "").length) return text;
      const label = META_CHARSET.exec(text.slice(0, META_BYTES))?.[1];
      const decoder = decoderOf(label) ?? (isAscii ? undefined : new NativeDecoder("windows-1252"));
      return decoder?.decode(input) ?? text;
    }
  }
);

const UNREADABLE = "\ufffd";

/** @param {NodeJS.ArrayBufferView | ArrayBuffer} input */
const bytesOf = (input) =>
  ArrayBuffer.isView(input)
    ? Buffer.from(input.buffer, input.byteOffset, input.byteLength)
    : Buffer.from(input);

/**
 * Returns the decoder for a label in HTML. Returns undefined for an unknown label and for Unicode: the text was
 * already read as UTF-8, and a readable label rules out UTF-16.
 * @param {string | undefined} label
 */
function decoderOf(label = "utf-8") {
  try {
    const decoder = new NativeDecoder(label);
    return decoder.encoding.startsWith("utf-") ? undefined : decoder;
  } catch {
    return undefined;
  }
}

// Loaded after the decoder is replaced, because the parser creates some decoders when it is loaded.
const PostalMime = require("postal-mime");

/** @param {string} name */
const moduleOfParser = (name) => require(join(dirname(require.resolve("postal-mime")), name));

// Adds labels to the parser's list, because the parser creates decoders only for labels on that list.
const { ENCODING_LABELS } = moduleOfParser("decode-strings.js");
for (const label of OLD_LABELS) ENCODING_LABELS.add(label);

const { prototype: node } = moduleOfParser("mime-node.js");
const { decodeFlowedText } = node;

/**
 * Ends paragraphs at quoted lines, blank lines and signatures (RFC 3676, 4.2 to 4.5), because the parser joins every
 * line that ends with a space to the next.
 * @this {object}
 * @param {string} text
 * @param {boolean} delSp
 */
node.decodeFlowedText = function (text, delSp) {
  const lines = text.split("\n");
  const isFlowed = (/** @type {string} */ line = "") => !/^(>|-- \r?$)/.test(line) && line.trim() !== "";
  const fixed = lines.map((line, i) => (isFlowed(line) && isFlowed(lines[i + 1]) ? line : line.trimEnd()));
  return decodeFlowedText.call(this, fixed.join("\n"), delSp);
};

/** Replaces Node's `Blob`, which costs 10 µs and 2 KB per part: the parser creates one per line to join two parts. */
globalThis.Blob = /** @type {any} */ (
  class {
    /** @param {(string | ArrayBuffer | Uint8Array)[]} parts */
    constructor(parts) {
      this.parts = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : new Uint8Array(part)));
    }

    async arrayBuffer() {
      const { buffer, byteOffset, byteLength } = Buffer.concat(this.parts);
      return buffer.slice(byteOffset, byteOffset + byteLength);
    }
  }
);

module.exports = { PostalMime };
