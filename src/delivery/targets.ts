import type { LookupAddress } from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction, type Socket, connect as tcpConnect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Environment } from "../common/environment";
import { isPublicAddress, within } from "../common/network";
import { InvalidInput } from "../errors";
import { resolveHost } from "./stub-resolver";

/** Max length of a target URL. */
const URL_MAX_LENGTH = 2_048;

/** Close idle connections after this time (ms), before servers do: a request on a closed connection is lost. */
const IDLE_TIMEOUT_MS = 4_000;

/** Time to wait for an address before trying the next one (ms); Node's 250 ms is too short for distant receivers. */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 2_000;

/** Max time to resolve a name while its line is saved (ms). */
const RESOLVE_TIMEOUT_MS = 5_000;

const PRIVATE = "must not be at a private or reserved address";

/** Thrown if the gateway may not connect to a target; the error's message explains the reason to operators. */
export class BlockedTarget extends Error {
  override readonly name = "BlockedTarget";
}

/** Resolves a host name to all of its addresses, or none. */
export type Lookup = (host: string) => Promise<LookupAddress[]>;

/**
 * Decides where the gateway may connect on behalf of its users, both when a line is saved and on every connection. The
 * gateway connects only to addresses that have been checked, to defeat DNS rebinding.
 */
export class Targets {
  private readonly isAllowedPrivate: (address: string) => boolean;
  private readonly agents: { "http:": http.Agent; "https:": https.Agent };

  /**
   * @param settings `allowPrivateTargets`: networks in CIDR notation whose private addresses are allowed; `heloName`:
   *   the gateway's name for mail servers
   * @param options `lookup` replaces the stub resolver, `ca` the certificate authorities
   */
  constructor(
    private readonly settings: {
      environment: Environment;
      allowPrivateTargets: readonly string[];
      heloName?: string | undefined;
    },
    private readonly options: { lookup?: Lookup; ca?: string } = {},
  ) {
    this.isAllowedPrivate = within(settings.allowPrivateTargets);
    const shared = { keepAlive: true, timeout: IDLE_TIMEOUT_MS, ...this.connecting };
    this.agents = {
      "http:": new http.Agent(shared),
      "https:": new https.Agent({ ...shared, ...this.tls }),
    };
  }

  /** Options for TLS connections, which always verify the certificate. */
  get tls(): { ca?: string } {
    return this.options.ca === undefined ? {} : { ca: this.options.ca };
  }

  /** The name in `EHLO`; undefined for the machine's name. */
  get heloName(): string | undefined {
    return this.settings.heloName;
  }

  /**
   * Validates a URL before it is saved, at a path such as `input.url`, and returns it normalized.
   * @throws InvalidInput
   */
  async assertAllowedUrl(text: string, path: string): Promise<URL> {
    const invalid = (message: string) => new InvalidInput([{ path, message }]);
    const tooLong = `must have at most ${URL_MAX_LENGTH} characters`;
    if (text.length > URL_MAX_LENGTH) throw invalid(tooLong);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) throw invalid("must be an http or https URL");
    if (url.href.length > URL_MAX_LENGTH) throw invalid(tooLong);
    if (this.isProduction && url.protocol !== "https:") throw invalid("must be an https URL in production");
    if (url.username || url.password) throw invalid("must not contain a user name or password");
    if (text.includes("#")) throw invalid("must not contain a fragment");
    await this.assertAllowedHost(hostOf(url), path);
    return url;
  }

  /**
   * Validates a server's host before it is saved.
   * @param path path of the input, such as `input.host`
   * @param isPlain true if the server is used without TLS
   * @throws InvalidInput
   */
  async assertAllowedHost(host: string, path: string, isPlain = false): Promise<void> {
    const invalid = (message: string) => new InvalidInput([{ path, message }]);
    if (isIP(host) === 0 && !/^[\w.-]{1,254}$/.test(host))
      throw invalid("must be a host name or an IP address");
    const addresses = await Promise.race([
      this.lookup(host).catch(() => []),
      pause(RESOLVE_TIMEOUT_MS, [], { ref: false }),
    ]);
    if (addresses.length === 0) throw invalid("must contain a host name that resolves to an address");
    if (!addresses.every(({ address }) => this.isAllowed(address))) throw invalid(PRIVATE);
    if (isPlain && !addresses.every(({ address }) => this.allowsPlain(address))) {
      throw invalid("must be used with TLS");
    }
  }

  /**
   * Returns the agent for requests to a URL, which connects only to allowed addresses.
   * @throws BlockedTarget
   */
  agentFor(url: URL): http.Agent {
    const host = hostOf(url);
    // Sockets skip the lookup if the host is an IP address.
    if (isIP(host) !== 0 && !this.isAllowed(host)) throw blocked();
    if (url.protocol !== "https:" && (this.isProduction || url.protocol !== "http:")) {
      throw new BlockedTarget("The URL must be an https URL in production.");
    }
    return url.protocol === "https:" ? this.agents["https:"] : this.agents["http:"];
  }

  /**
   * Returns a socket that is connecting to a host; its error can be a `BlockedTarget`.
   * @throws BlockedTarget
   */
  connect(host: string, port: number): Socket {
    if (isIP(host) !== 0 && !this.isAllowed(host)) throw blocked();
    return tcpConnect({ host, port, ...this.connecting });
  }

  /** True if passwords and e-mail may be sent to an address without TLS. */
  allowsPlain(address: string): boolean {
    return !this.isProduction || this.isAllowedPrivate(address);
  }

  /** Closes idle connections. */
  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private get isProduction(): boolean {
    return this.settings.environment === "production";
  }

  private isAllowed(address: string): boolean {
    return isPublicAddress(address) || this.isAllowedPrivate(address);
  }

  private lookup(host: string): Promise<LookupAddress[]> {
    if (isIP(host) !== 0) return Promise.resolve([{ address: host, family: isIP(host) }]);
    return (this.options.lookup ?? resolveHost)(host);
  }

  /** Connection options that resolve names with `lookup`, and fail unless every address is allowed. */
  private get connecting() {
    const lookup: LookupFunction = (host, options, callback) => {
      this.lookup(host).then(
        (addresses) => {
          const [first] = addresses;
          if (!first) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
          else if (!addresses.every(({ address }) => this.isAllowed(address))) callback(blocked(), "");
          else if (options.all) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error) => callback(error, ""),
      );
    };
    return {
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS,
    };
  }
}

const blocked = () => new BlockedTarget(`The host ${PRIVATE}.`);

/** Returns the host of a URL, without the brackets around an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");
