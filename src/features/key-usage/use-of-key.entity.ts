import { ManyToOne, PrimaryColumn } from "typeorm";
import { UUID_COLUMN } from "../../database/columns";
import { ApiKey } from "../api-keys/api-key.entity";

/** Base class for the counts of a key's uses. */
export abstract class UseOfKey {
  @PrimaryColumn(UUID_COLUMN)
  keyId!: string;

  // Not a foreign key, so that counting a key's uses and changing the key do not wait for each other's row locks.
  @ManyToOne(() => ApiKey, { createForeignKeyConstraints: false })
  key?: ApiKey;
}
