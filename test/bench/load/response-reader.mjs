const HEAD = 0;
const BODY = 1;
const CHUNK_SIZE = 2;
const CHUNK = 3;
const CHUNK_END = 4;
const TRAILER = 5;

/**
 * Reads the responses of a connection with one request in flight at a time, from chunks of any length. It reads the
 * status and the start of the body, and finds the end of the response; it does not store the rest of the body.
 */
export class ResponseReader {
  /** @param begins number of bytes to keep from the start of each body */
  constructor(begins = 0) {
    this.kept = begins;
    this.state = HEAD;
    this.held = undefined;
    this.status = 0;
    this.begins = "";
    this.left = 0;
    this.line = "";
  }

  /**
   * Takes the next bytes, which may be overwritten afterwards.
   * @returns true if they complete the response; `status` and `begins` then describe it
   * @throws Error for a response that is not HTTP/1.1, ends the connection, or continues after its end
   */
  push(bytes) {
    let at = 0;
    if (this.state === HEAD) {
      const text = this.held === undefined ? bytes : Buffer.concat([this.held, bytes]);
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) {
        this.held = Buffer.from(text);
        return false;
      }
      this.held = undefined;
      this.readHead(text.latin1Slice(0, end + 2));
      bytes = text;
      at = end + 4;
    }
    while (this.state !== HEAD && (at < bytes.length || (this.state === BODY && this.left === 0))) {
      at = this.readBody(bytes, at);
    }
    if (this.state !== HEAD) return false;
    if (at !== bytes.length) throw new Error("bytes after the end of an answer");
    return true;
  }

  readHead(head) {
    if (!head.startsWith("HTTP/1.1 ")) throw new Error(`no HTTP/1.1 answer: ${head.slice(0, 40)}`);
    if (/\r\nconnection: *close\r/i.test(head)) throw new Error("the server ends the connection");
    this.status = Number(head.slice(9, 12));
    this.begins = "";
    const length = /\r\ncontent-length: *(\d+)\r/i.exec(head);
    if (length !== null) {
      this.state = BODY;
      this.left = Number(length[1]);
    } else if (/\r\ntransfer-encoding: *chunked\r/i.test(head)) {
      this.state = CHUNK_SIZE;
      this.line = "";
    } else throw new Error("an answer with neither Content-Length nor chunks");
  }

  /** @returns the position to continue from */
  readBody(bytes, at) {
    if (this.state === BODY || this.state === CHUNK) {
      const end = Math.min(at + this.left, bytes.length);
      const wanted = this.kept - this.begins.length;
      if (wanted > 0) this.begins += bytes.latin1Slice(at, Math.min(at + wanted, end));
      this.left -= end - at;
      if (this.left === 0) this.state = this.state === BODY ? HEAD : CHUNK_END;
      return end;
    }
    const end = bytes.indexOf(10, at);
    this.line += bytes.latin1Slice(at, end < 0 ? bytes.length : end);
    if (end < 0) return bytes.length;
    const line = this.line.replace(/\r$/, "");
    this.line = "";
    if (this.state === CHUNK_END) {
      if (line !== "") throw new Error("a chunk is longer than it says");
      this.state = CHUNK_SIZE;
    } else if (this.state === TRAILER) {
      if (line === "") this.state = HEAD;
    } else {
      if (!/^[0-9a-f]+(;.*)?$/i.test(line)) throw new Error("a chunk without a size");
      this.left = Number.parseInt(line, 16);
      this.state = this.left === 0 ? TRAILER : CHUNK;
    }
    return end + 1;
  }
}
