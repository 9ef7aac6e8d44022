import { Field, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, PrimaryGeneratedColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import { Int64 } from "../../common/int64";
import { Nullable } from "../../common/nullable";
import { InsertOrderLock } from "../../database/insert-order-lock";

/** Keeps IDs in commit order, because clients page through the list while pets are being added. */
export const PET_ORDER = new InsertOrderLock(1, { authorizesCallers: true });

export const PetStatus = enumOf("PetStatus", "Availability of a pet.", {
  available: "Available for sale.",
  pending: "Being sold.",
  sold: "Sold.",
});
export type PetStatus = keyof typeof PetStatus;

/** Max length of a pet's name (code points). */
export const PET_NAME_MAX_LENGTH = 200;

@ObjectType({ description: "A pet in the store, which is shared by all API keys." })
@Entity()
@Index(["status", "id"])
export class Pet {
  @Field(() => ID, { description: "Unique identifier (int64), assigned on creation." })
  @Int64
  @PrimaryGeneratedColumn("increment", { type: "bigint" })
  id!: string;

  @Field(() => String, { description: "Name of the pet." })
  @Column({ type: "varchar", length: PET_NAME_MAX_LENGTH })
  name!: string;

  @Field(() => ID, { description: "ID (int64) of the pet's category." })
  @Int64
  @Column({ type: "bigint" })
  categoryId!: string;

  @Nullable(() => PetStatus, "Availability of the pet, or null if unknown.")
  @Column({ type: "varchar", length: 16, nullable: true })
  status!: PetStatus | null;
}
