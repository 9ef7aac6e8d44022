import { resolve } from "node:path";
import type { EntityManager } from "typeorm";
import { timestamp } from "../common/time";
import type { Config } from "../config";
import type { InstanceKey } from "../credentials/instance-key";
import { createKeyFile, readKeyFile } from "../credentials/instance-key-file";
import type { Database } from "../database/database";
import { insertAll } from "../database/insert-all";
import type { Tx } from "../database/unit-of-work";
import { GatewayError, StartupError } from "../errors";
import { InstanceKeyCheck } from "./instance-key-check.entity";

/** ID of the only row of its table. */
const ID = 1;

// These error messages do not name the key file, because they are also sent to clients.
const MISSING =
  "The instance key is missing. Set INSTANCE_KEY or restore the key file to use signing secrets and stored credentials.";
const WRONG = "INSTANCE_KEY is not the key that the secrets in this database were encrypted with.";

/** The instance key is missing, or the database depends on a different key. */
export class InstanceKeyError extends GatewayError {
  override readonly name = "InstanceKeyError";

  constructor(message: string) {
    super("conflict", message);
  }
}

/** Adapts a feature's rows to a new instance key; values sealed with the old key are lost. */
export type ReplacementStep = (tx: Tx, key: InstanceKey) => Promise<void>;

/** Manages the instance key of this process, and records which key the database depends on. */
export class InstanceKeyService {
  private key: InstanceKey | undefined;
  private opened: Promise<void> | undefined;
  /** A warning that the key file could not be created; otherwise undefined. */
  private problem: string | undefined;
  /** The key file used with an embedded database when `INSTANCE_KEY` is not set. */
  private readonly file: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly config: Pick<Config, "instanceKey" | "databaseUrl">,
    private readonly steps: () => readonly ReplacementStep[],
  ) {
    const { instanceKey, databaseUrl } = config;
    const isEmbedded = instanceKey === undefined && databaseUrl.startsWith("sqlite:");
    this.file = isEmbedded ? `${resolve(databaseUrl.slice("sqlite:".length))}.key` : undefined;
  }

  /**
   * Reads the key, or creates the key file of an embedded database that does not yet depend on a key.
   * @returns a warning if the database depends on a missing key or the file cannot be created
   * @throws StartupError if the database depends on another key, or the file cannot be used
   */
  async open(): Promise<string | undefined> {
    await this.opening();
    if (this.problem !== undefined) return this.problem;
    const isMissed = this.key === undefined && (await this.database.read(checkIn)) !== undefined;
    if (!isMissed) return undefined;
    return this.file === undefined ? MISSING : `${MISSING} It was in ${this.file}.`;
  }

  /**
   * Returns the key for use with data that already depends on it.
   * @throws InstanceKeyError if the key is missing
   */
  async current(): Promise<InstanceKey> {
    const key = await this.available();
    if (key === undefined) throw new InstanceKeyError(MISSING);
    return key;
  }

  /** Returns the key; undefined if it is missing. */
  async available(): Promise<InstanceKey | undefined> {
    await this.opening();
    return this.key;
  }

  /**
   * Returns the key for a unit of work that makes the database depend on it.
   * @throws InstanceKeyError if the key is missing, or the database depends on another key
   */
  async required(tx: Tx): Promise<InstanceKey> {
    const key = await this.current();
    const check = { id: ID, value: key.checkValue, createdAt: timestamp() };
    await insertAll(tx, InstanceKeyCheck, [check], { orIgnore: true });
    if ((await checkIn(tx)) !== key.checkValue) throw new InstanceKeyError(WRONG);
    return key;
  }

  /**
   * Makes the database depend on this process's key instead of a lost key, and runs the steps of all features.
   * @throws InstanceKeyError if there is no key, or the database does not depend on another key
   */
  async replace(): Promise<void> {
    const key = this.config.instanceKey ?? this.keyIn((file) => readKeyFile(file) ?? createKeyFile(file));
    if (key === undefined) throw new InstanceKeyError(MISSING);
    // Runs without time limits, because the steps may update any number of rows, such as consents.
    await this.database.withMigrationLock(async (tx) => {
      const { affected } = await tx
        .createQueryBuilder()
        .update(InstanceKeyCheck)
        .set({ value: key.checkValue, createdAt: timestamp() })
        .where("value <> :value", { value: key.checkValue })
        .execute();
      if (affected === 0) {
        throw new InstanceKeyError(
          "Nothing was replaced, because the database does not depend on a different instance key.",
        );
      }
      for (const step of this.steps()) await step(tx, key);
    });
    this.key = key;
    this.opened = Promise.resolve();
  }

  private opening(): Promise<void> {
    this.opened ??= this.load().catch((error) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  private async load(): Promise<void> {
    const expected = await this.database.read(checkIn);
    const key =
      this.config.instanceKey ??
      this.keyIn((file) => readKeyFile(file) ?? (expected === undefined ? this.create(file) : undefined));
    if (key !== undefined && expected !== undefined && key.checkValue !== expected) {
      const source = this.file === undefined ? "INSTANCE_KEY" : `the instance key in ${this.file}`;
      throw new StartupError(
        `${source} is not the key that the database depends on. Restore that key, or see "gateway instance-key replace"`,
      );
    }
    this.key = key;
  }

  /**
   * Creates the key file. Does not throw: most requests need no key, so the process must start even if, for example,
   * the disk is full.
   */
  private create(file: string): InstanceKey | undefined {
    try {
      return createKeyFile(file);
    } catch (error) {
      this.problem = `Cannot create the instance key in ${file} (${(error as Error).message}). Features that need the key will not work until you fix this and restart the gateway.`;
      return undefined;
    }
  }

  /** @throws StartupError if the file cannot be used */
  private keyIn<T>(work: (file: string) => T): T | undefined {
    if (this.file === undefined) return undefined;
    try {
      return work(this.file);
    } catch (cause) {
      throw new StartupError(`cannot use the instance key in ${this.file}`, { cause });
    }
  }
}

/** Returns the check value of the key that the database depends on; undefined if it depends on none. */
async function checkIn(reader: EntityManager): Promise<string | undefined> {
  return (await reader.findOneBy(InstanceKeyCheck, { id: ID }))?.value;
}
