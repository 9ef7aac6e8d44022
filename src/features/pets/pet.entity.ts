import { Field, ID, ObjectType, registerEnumType } from "type-graphql";
import { Column, Entity, Index, PrimaryGeneratedColumn } from "typeorm";
import { Int64 } from "../../common/int64";
import { InsertOrderLock } from "../../database/database";

/** Clients may follow the list of pets while others add to it. */
export const PET_ORDER = new InsertOrderLock(1);

export enum PetStatus {
  available = "available",
  pending = "pending",
  sold = "sold",
}

registerEnumType(PetStatus, {
  name: "PetStatus",
  description: "Availability of an animal.",
  valuesConfig: {
    available: { description: "Can be bought." },
    pending: { description: "A sale is under way." },
    sold: { description: "Has been sold." },
  },
});

/** Longest name of an animal, in code points. */
export const PET_NAME_MAX = 200;

@ObjectType({
  simpleResolvers: true,
  description: "An animal of the store, which every valid API key shares.",
})
@Entity()
@Index(["status", "id"])
export class Pet {
  @Field(() => ID, { description: "Unique identifier (int64), assigned on creation." })
  @Int64
  @PrimaryGeneratedColumn("increment", { type: "bigint" })
  id!: string;

  @Field(() => String, { description: "The animal's name." })
  @Column({ type: "varchar", length: PET_NAME_MAX })
  name!: string;

  @Field(() => ID, { description: "Identifier (int64) of the category that the animal belongs to." })
  @Int64
  @Column({ type: "bigint" })
  categoryId!: string;

  @Field(() => PetStatus, { nullable: true, description: "Availability, where it is known." })
  @Column({ type: "varchar", length: 16, nullable: true })
  status!: PetStatus | null;
}
