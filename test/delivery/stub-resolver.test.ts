import { promises as dns } from "node:dns";
import { promises as fs } from "node:fs";
import { candidatesOf, hostsEntries, resolveHost } from "../../src/delivery/stub-resolver";
import { Targets } from "../../src/delivery/targets";
import { NameServer } from "../support/name-server";
import { waitUntil } from "../support/wait-until";

/** More than the threads of a process. */
const MANY = 50;

describe("the name of a target", () => {
  let server: NameServer;
  const targets = new Targets({
    environment: "development",
    allowPrivateTargets: ["127.0.0.0/8", "::1/128"],
  });
  const check = (host: string) =>
    targets.assertAllowedHost(host, "host").then(
      () => "allowed",
      (error) => error.message,
    );

  beforeEach(async () => {
    server = await NameServer.start({
      "public.test": ["2606:4700::1111", "93.184.215.14", "93.184.215.15"],
      "private.test": ["10.0.0.1"],
      "partly-private.test": ["93.184.215.14", "fd00::1"],
      "ipv6.test": ["2606:4700::1111"],
      "no-address.test": [],
    });
  });
  afterEach(() => server.close());

  test("does not delay other names while its DNS servers do not respond, however many there are", async () => {
    const silent = Array.from({ length: MANY }, (_, index) => check(`${index}.silent.test`));
    await waitUntil(() => new Set(server.held).size === MANY);
    expect(await check("public.test")).toBe("allowed");
    expect(await check("localhost")).toBe("allowed");
    // The system's resolver, which connects to the database, the mail server and models, has all of its threads.
    expect(await dns.lookup("localhost")).toBeDefined();
    server.release();
    const unresolved = "host must contain a host name that resolves to an address";
    expect(new Set(await Promise.all(silent))).toEqual(new Set([unresolved]));
  });

  test("resolves to all of its addresses, IPv4 first", async () => {
    expect(await resolveHost("PUBLIC.test")).toEqual([
      { address: "93.184.215.14", family: 4 },
      { address: "93.184.215.15", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
    expect(await resolveHost("ipv6.test.")).toEqual([{ address: "2606:4700::1111", family: 6 }]);
  });

  test.each(["no-address.test", "nowhere.test", "a..b", `${"a".repeat(64)}.test`, "-"])(
    "may have no address: %p",
    async (name) => {
      expect(await resolveHost(name)).toEqual([]);
    },
  );

  test.each(["private.test", "partly-private.test"])(
    "is rejected if one of its addresses is: %p",
    async (name) => {
      expect(await check(name)).toBe("host must not be at a private or reserved address");
    },
  );

  test.each(["failing.test", "refusing.test"])(
    "is queried as it is if the DNS servers do not resolve names in its search domain: %p",
    async (domain) => {
      const conf = `search ${domain}\noptions ndots:5`;
      jest
        .spyOn(fs, "readFile")
        .mockImplementation(async (path) => (path === "/etc/resolv.conf" ? conf : ""));
      expect(await resolveHost("ipv6.test")).toEqual([{ address: "2606:4700::1111", family: 6 }]);
    },
  );

  test("is in the hosts file or has no address if no DNS server can be reached", async () => {
    server.close();
    expect(await check("localhost")).toBe("allowed");
    server = await NameServer.start({});
  });
});

describe("the hosts file", () => {
  const HOSTS = `# comment
    ::1        localhost ip6-localhost
    127.0.0.1\tlocalhost   # also localhost2
    10.0.0.1   Mail.example.com mail
    #10.0.0.2  mail
    10.0.0.3   mail\r
    nonsense   mail`;

  test.each([
    ["localhost", ["127.0.0.1", "::1"]],
    ["mail", ["10.0.0.1", "10.0.0.3"]],
    ["mail.example.com", ["10.0.0.1"]],
    ["localhost2", []],
    ["10.0.0.1", []],
    ["", []],
  ])("lists the addresses of %p, IPv4 first", (name, addresses) => {
    expect(hostsEntries(HOSTS, name).map(({ address }) => address)).toEqual(addresses);
  });
});

describe("a name that is not in the hosts file is queried", () => {
  const KUBERNETES = "search a.svc svc cluster\nnameserver 10.0.0.10\noptions edns0 ndots:5 trust-ad\n";

  test.each([
    ["as it is, by default", "", "host", ["host"]],
    ["as it is, if comments name domains", "#search x\noptions timeout:1", "host.test", ["host.test"]],
    ["in the search domain first", "search corp.test", "host", ["host.corp.test", "host"]],
    ["as it is first if it has a dot", "search corp.test", "host.test", ["host.test", "host.test.corp.test"]],
    ["in the last list of domains", "domain x\nsearch a.b\tc.d ", "host", ["host.a.b", "host.c.d", "host"]],
    ["as it is if the only domain is the root", "search .", "host", ["host"]],
    [
      "in the domains first below `ndots`",
      KUBERNETES,
      "b.dev",
      ["b.dev.a.svc", "b.dev.svc", "b.dev.cluster", "b.dev"],
    ],
    ["as it is if it ends with a dot", KUBERNETES, "bot.dev.", ["bot.dev."]],
  ])("%s", (_, conf, name, names) => {
    expect(candidatesOf(conf, name)).toEqual(names);
  });
});
