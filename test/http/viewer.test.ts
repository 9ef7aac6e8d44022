import { existsSync, readdirSync, readlinkSync } from "node:fs";
import zlib from "node:zlib";
import { sqlite } from "../support/engines";
import { openRaw } from "../support/raw";
import { suiteGateway } from "../support/suite";

const TIMES = 100;

const targetOf = (fd: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // Closed meanwhile.
    return "";
  }
};

/** Files of the viewer that this process has open; none where there is no /proc. */
const openViewers = (): string[] =>
  (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd") : [])
    .map(targetOf)
    .filter((path) => path.includes("openapi-explorer"));

describe("the viewer of /docs", () => {
  const gateway = suiteGateway(sqlite);
  const head = (method: string) =>
    `${method} /docs/viewer.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n`;

  test("is compressed once, however often it is asked for, by HEAD or by clients that go away", async () => {
    const gzip = jest.spyOn(zlib, "gzip");
    const connections = Array.from({ length: TIMES }, () => openRaw(gateway.url));
    for (const [i, { socket }] of connections.entries()) {
      socket.on("data", () => socket.destroy());
      socket.write(head(i % 2 === 0 ? "HEAD" : "GET"));
    }
    await Promise.all(connections.map(({ closed }) => closed));
    expect(gzip).toHaveBeenCalledTimes(1);
    expect(openViewers()).toEqual([]);
  });

  test("is the same plain and compressed, and HEAD says how long it is", async () => {
    const ask = (method: string, encoding: string) =>
      gateway.rest(method, "/docs/viewer.js", { token: null, headers: { "accept-encoding": encoding } });
    const plain = await ask("GET", "identity");
    const gzipped = await ask("GET", "gzip");
    expect(gzipped.headers.get("content-encoding")).toBe("gzip");
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(gzipped.text).toBe(plain.text);
    for (const [encoding, { headers }] of [["gzip", gzipped] as const, ["identity", plain] as const]) {
      const { headers: ofHead, text } = await ask("HEAD", encoding);
      expect([ofHead.get("content-length"), text]).toEqual([headers.get("content-length"), ""]);
      expect(Number(ofHead.get("content-length"))).toBeGreaterThan(100_000);
    }
  });
});
