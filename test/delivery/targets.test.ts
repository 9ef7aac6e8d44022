import { once } from "node:events";
import { get } from "node:http";
import { loadConfig } from "../../src/config";
import { BlockedTarget, Targets } from "../../src/delivery/targets";
import { lookupIn } from "../support/attempts";
import { Receiver } from "../support/receiver";

const NAMES = {
  "public.test": ["93.184.215.14", "2606:4700::1111"],
  "private.test": ["10.0.0.1"],
  "partly-private.test": ["93.184.215.14", "10.0.0.1"],
  "metadata.test": ["169.254.169.254"],
  "mapped.test": ["::ffff:127.0.0.1"],
};
const targetsIn = (environment: "development" | "production", allowPrivateTargets: string[] = []) =>
  new Targets({ environment, allowPrivateTargets }, { lookup: lookupIn(NAMES) });

const PRIVATE = "input.url must not be at a private or reserved address";
const NO_URL = "input.url must be an http or https URL";

/** Private and reserved addresses in every notation that URLs allow. */
const PRIVATE_HOSTS = [
  ...["127.0.0.1", "127.1", "127.0.0.1.", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "①②⑦.0.0.1"],
  ...["0.0.0.0", "0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"],
  ...["169.254.169.254", "0xa9fea9fe", "100.100.100.200", "168.63.129.16", "192.0.0.192", "192.0.2.1"],
  ...["198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"],
  ...["[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
  ...["[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]"],
  ...["[ff02::1]", "[2001:db8::1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]"],
  ...["[2001:0:1::1]", "[100::1]", "[4000::1]"],
  ...["private.test", "partly-private.test", "metadata.test", "mapped.test", "PRIVATE.TEST"],
];

const rejectionOf = (targets: Targets, url: string) =>
  targets.assertAllowedUrl(url, "input.url").then(
    ({ href }) => `allowed: ${href}`,
    (error) => error.message,
  );

describe("a URL that is saved", () => {
  test.each(PRIVATE_HOSTS)("is rejected at %s, whatever its scheme and port", async (host) => {
    const targets = targetsIn("development");
    expect(await rejectionOf(targets, `http://${host}/`)).toBe(PRIVATE);
    expect(await rejectionOf(targets, `https://${host}:8443/hook`)).toBe(PRIVATE);
  });

  test.each([
    ["", NO_URL],
    ["public.test", NO_URL],
    ["//public.test", NO_URL],
    ["ftp://public.test", NO_URL],
    ["file:///etc/passwd", NO_URL],
    ["http://", NO_URL],
    ["http://[fe80::1%25eth0]/", NO_URL],
    ["http://public.test:65536", NO_URL],
    ["https://user:password@public.test/", "input.url must not contain a user name or password"],
    ["https://user@public.test/", "input.url must not contain a user name or password"],
    ["https://public.test/#part", "input.url must not contain a fragment"],
    ["https://public.test/#", "input.url must not contain a fragment"],
    ["https://nowhere.test/", "input.url must contain a host name that resolves to an address"],
    [`https://public.test/${"a".repeat(2_029)}`, "input.url must have at most 2048 characters"],
    [`https://public.test/${"é".repeat(400)}`, "input.url must have at most 2048 characters"],
  ])("is rejected as %p", async (url, rejection) => {
    expect(await rejectionOf(targetsIn("development"), url)).toBe(rejection);
  });

  test.each([
    ["http://public.test", "http://public.test/"],
    ["https://PUBLIC.test:443/a b?c=d", "https://public.test/a%20b?c=d"],
    ["https://93.184.215.14/", "https://93.184.215.14/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    [`https://public.test/${"a".repeat(2_028)}`, `https://public.test/${"a".repeat(2_028)}`],
  ])("is allowed as %p", async (url, href) => {
    expect(await rejectionOf(targetsIn("development"), url)).toBe(`allowed: ${href}`);
  });

  test("must be an https URL in production, even for an allowed private address", async () => {
    const targets = targetsIn("production", ["10.0.0.0/8"]);
    expect(await rejectionOf(targets, "http://public.test/")).toBe(
      "input.url must be an https URL in production",
    );
    expect(await rejectionOf(targets, "http://10.0.0.1/")).toBe(
      "input.url must be an https URL in production",
    );
    expect(await rejectionOf(targets, "https://public.test/")).toBe("allowed: https://public.test/");
    expect(await rejectionOf(targets, "https://private.test/")).toBe("allowed: https://private.test/");
  });

  test("may be at allowed private addresses, but at no others", async () => {
    const targets = targetsIn("development", ["127.0.0.0/8", "fd00::/8"]);
    const answers = ["127.0.0.1", "0x7f.1", "[::ffff:127.0.0.1]", "mapped.test", "[fd00::1]"].map((host) =>
      rejectionOf(targets, `http://${host}/`),
    );
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^allowed/);
    expect(await rejectionOf(targets, "http://10.0.0.1/")).toBe(PRIVATE);
    expect(await rejectionOf(targets, "http://[::1]/")).toBe(PRIVATE);
  });
});

describe("a host that is saved", () => {
  test.each([
    ["public.test", false, undefined],
    ["public.test", true, "host must be used with TLS"],
    ["192.168.1.1", true, undefined],
    ["private.test", false, "host must not be at a private or reserved address"],
    ["", false, "host must be a host name or an IP address"],
    ["public.test/path", false, "host must be a host name or an IP address"],
    ["public.test\r\nRSET", false, "host must be a host name or an IP address"],
  ])("is checked in production: %p, without TLS %p", async (host, isPlain, rejection) => {
    const targets = targetsIn("production", ["192.168.0.0/16"]);
    const checked = targets.assertAllowedHost(host, "host", isPlain);
    expect(
      await checked.then(
        () => undefined,
        (error) => error.message,
      ),
    ).toBe(rejection);
  });
});

describe("a connection", () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.close());

  test("to a name that resolves to a private address only after it was saved is rejected", async () => {
    const answers = [["93.184.215.14"], ["127.0.0.1"], ["127.0.0.1"]];
    const lookup = () => lookupIn({ "rebinding.test": answers.shift() ?? [] })("rebinding.test");
    const targets = new Targets({ environment: "development", allowPrivateTargets: [] }, { lookup });
    const url = await targets.assertAllowedUrl(receiver.url("rebinding.test"), "url");
    const [error] = await once(get(url, { agent: targets.agentFor(url) }), "error");
    expect(error).toBeInstanceOf(BlockedTarget);
    const [failure] = await once(targets.connect("rebinding.test", receiver.port), "error");
    expect(failure).toBeInstanceOf(BlockedTarget);
    expect(receiver.connections).toBe(0);
    expect(answers).toEqual([]);
  });

  test.each(PRIVATE_HOSTS.filter((host) => !host.includes("test") && !host.includes("TEST")))(
    "to %s, which needs no resolving, is rejected",
    (host) => {
      const targets = targetsIn("development");
      expect(() => targets.agentFor(new URL(`http://${host}:${receiver.port}/`))).toThrow(BlockedTarget);
    },
  );

  test("without TLS is rejected in production", () => {
    const url = new URL("http://public.test");
    expect(() => targetsIn("production").agentFor(url)).toThrow(BlockedTarget);
    expect(targetsIn("development").agentFor(url)).toBeDefined();
  });
});

describe("ALLOW_PRIVATE_TARGETS", () => {
  test.each([
    ["", []],
    ["127.0.0.0/8,::1/128", ["127.0.0.0/8", "::1/128"]],
    [" 10.1.2.3/32 , fd00::/8 ,", ["10.1.2.3/32", "fd00::/8"]],
    ["0.0.0.0/0", ["0.0.0.0/0"]],
  ])("accepts %p", (text, networks) => {
    expect(loadConfig({ ALLOW_PRIVATE_TARGETS: text }).allowPrivateTargets).toEqual(networks);
  });

  test.each([
    ...["127.0.0.1", "localhost", "10/8", "010.0.0.0/8", "0x7f.1/8", "10.0.0.0/33", "::1/129", "10.0.0.0/"],
    ...["10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/8;::1/128", "fe80::1%eth0/64", "/8", "true"],
  ])("rejects %p", (text) => {
    expect(() => loadConfig({ ALLOW_PRIVATE_TARGETS: text })).toThrow(
      "ALLOW_PRIVATE_TARGETS must contain networks such as 10.0.0.0/8 or ::1/128",
    );
  });
});
