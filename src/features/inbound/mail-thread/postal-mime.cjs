// @ts-check
// The parser of mails, which decodes texts by what their bytes are.
const { dirname, join } = require("node:path");

/** Encodings of one byte per letter, whose texts are hardly ever valid UTF-8 by chance. */
const SINGLE_BYTE = /^(windows-125\d|iso-8859-\d+|macintosh)$/;

/** The encoding that HTML names, within its first bytes (HTML 5, 13.2.3.2). */
const META_CHARSET = /<meta\b[^<>]{0,200}?\bcharset\s*=\s*["']?([\w:-]{1,40})/i;
const META_BYTES = 2_048;

/** The letters that show the encoding of a text: all of them could fill the memory of the thread. */
const SAMPLE_LENGTH = 65_536;

const NativeDecoder = TextDecoder;

/** Labels of encodings of old programs, which Node does not have. */
const OLD_LABELS = new Set([
  ...["utf-7", "utf7", "unicode-1-1-utf-7"],
  ...[437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 869].flatMap((page) => [
    `cp${page}`,
    `ibm${page}`,
  ]),
]);

/**
 * Decodes by what bytes are, not by their label alone: many programs name none or a wrong one, and the parser takes a
 * missing one for UTF-8.
 */
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
      // The end of a text that is cut may be half a character.
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
 * The decoder for a label in HTML, which is not of UTF-16 if it could be read.
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

// Loaded after the decoder is replaced, because it keeps some.
const PostalMime = require("postal-mime");

// The parser makes no decoders of other labels.
const { ENCODING_LABELS } = require(join(dirname(require.resolve("postal-mime")), "decode-strings.js"));
for (const label of OLD_LABELS) ENCODING_LABELS.add(label);

/** Node's `Blob` costs 10 µs and 2 KB per part; the parser makes one of two parts per line, only to join them. */
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
