import type { Command, CommandOptions } from "commander";
import { GatewayError } from "../errors";
import { secretFromStdin } from "./stdin";

/** A server that commands manage instead of the database. */
export interface Target {
  /** URL of the server's GraphQL API. */
  endpoint: URL;
  /** Reads the key on first use, because some commands need none; throws a GatewayError `invalid_request`. */
  key(): Promise<string>;
}

interface TargetOptions {
  url?: string;
  keyStdin?: true;
  allowHttp?: true;
}

const onDatabase = new WeakSet<Command>();

/** Adds a command that works only on the database, because no API offers the operation. */
export function addOnDatabase(parent: Command, name: string, options?: CommandOptions): Command {
  const command = parent.command(name, options);
  onDatabase.add(command);
  return command;
}

let target: Target | undefined;

/** Returns the server that the user chose; undefined for the configured database. */
export const currentTarget = (): Target | undefined => target;

/** @throws GatewayError `invalid_request` for options that fit neither each other nor the command */
export function chooseTarget({ url, keyStdin, allowHttp }: TargetOptions, command: Command): void {
  // An empty variable is treated as unset. An empty option is a mistake: if it were ignored, the command
  // would change the local database.
  if (url === "" && command.getOptionValueSourceWithGlobals("url") === "cli")
    throw new GatewayError("invalid_request", "The server URL is empty.");
  if (!url) {
    if (keyStdin) throw new GatewayError("invalid_request", "--key-stdin requires --url.");
    return;
  }
  if (onDatabase.has(command))
    throw new GatewayError(
      "invalid_request",
      `${pathOf(command)} works only on the database: omit --url, and unset GATEWAY_URL.`,
    );
  target = { endpoint: endpointOf(url, allowHttp), key: () => (keyStdin ? secretFromStdin() : keyFromEnv()) };
}

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();

async function keyFromEnv(): Promise<string> {
  const key = process.env.GATEWAY_KEY?.trim();
  if (!key) throw new GatewayError("invalid_request", "Set GATEWAY_KEY, or pass the key with --key-stdin.");
  return key;
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

function endpointOf(text: string, allowHttp = false): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const problem = (message: string) => new GatewayError("invalid_request", `The server URL ${message}.`);
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw problem("must start with https://");
  if (url.username || url.password || url.search || url.hash)
    throw problem("must not have a user name, a query or a fragment");
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname))
    throw problem(
      "must start with https://, because http would reveal the key (--allow-http allows it anyway)",
    );
  return new URL(`${url.href.replace(/\/+$/, "")}/graphql`);
}
