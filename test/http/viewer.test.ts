import { existsSync, readdirSync, readlinkSync } from "node:fs";
import zlib from "node:zlib";
import { sqlite } from "../support/engines";
import { openRaw } from "../support/raw";
import { slowTest } from "../support/slow-test";
import { suiteGateway } from "../support/suite";

const TIMES = 100;

const targetOf = (fd: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // Closed in the meantime.
    return "";
  }
};

/** Returns the viewer files that this process has open; none if there is no /proc. */
const openViewers = (): string[] =>
  (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd") : [])
    .map(targetOf)
    .filter((path) => path.includes("/docs/viewer"));

describe("the viewer of /docs", () => {
  const gateway = suiteGateway(sqlite);
  const head = (method: string) =>
    `${method} /docs/viewer.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n`;

  test("is compressed only by the build, and read once for HEAD and for clients that disconnect", async () => {
    const compressors = [jest.spyOn(zlib, "gzip"), jest.spyOn(zlib, "brotliCompress")];
    const connections = Array.from({ length: TIMES }, () => openRaw(gateway.url));
    for (const [i, { socket }] of connections.entries()) {
      socket.on("data", () => socket.destroy());
      socket.write(head(i % 2 === 0 ? "HEAD" : "GET"));
    }
    await Promise.all(connections.map(({ closed }) => closed));
    for (const compress of compressors) {
      expect(compress).not.toHaveBeenCalled();
      compress.mockRestore();
    }
    expect(openViewers()).toEqual([]);
  });

  slowTest.each([
    ["/docs/viewer.js", 100_000],
    ["/docs/viewer.css", 500],
  ])("%s is the same in each encoding, and HEAD reports its length", async (path, atLeast) => {
    const ask = (method: string, encoding: string) =>
      gateway.rest(method, path, { token: null, headers: { "accept-encoding": encoding } });
    const plain = await ask("GET", "identity");
    for (const [accepted, sent] of [
      ["identity", null],
      ["gzip, deflate", "gzip"],
      ["gzip, deflate, br, zstd", "br"],
      ["gzip, br;q=0", "gzip"],
      ["br;q=0.5", "br"],
    ] as const) {
      const whole = await ask("GET", accepted);
      expect([accepted, whole.headers.get("content-encoding")]).toEqual([accepted, sent]);
      expect(whole.text).toBe(plain.text);
      const { headers, text } = await ask("HEAD", accepted);
      expect([headers.get("content-length"), text]).toEqual([whole.headers.get("content-length"), ""]);
      expect(Number(headers.get("content-length"))).toBeGreaterThan(atLeast);
    }
  });
});
