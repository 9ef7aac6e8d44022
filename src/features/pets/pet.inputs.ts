import { ArgsType, Field, ID, InputType } from "type-graphql";
import { IsInt64, isInt64 } from "../../common/int64";
import { Nullable } from "../../common/nullable";
import { ConnectionOf, PageArgs } from "../../pagination/connection";
import { IdempotentInput } from "../../schema/idempotent.input";
import { IsText } from "../../schema/text";
import { PET_NAME_MAX_LENGTH, Pet, PetStatus } from "./pet.entity";

@InputType({ description: "A pet to add." })
export class CreatePetInput extends IdempotentInput {
  @Field(() => String, { description: "Name of the pet, 1 to 200 characters." })
  @IsText(PET_NAME_MAX_LENGTH)
  name!: string;

  @Field(() => ID, { description: "ID (int64) of the pet's category." })
  @IsInt64()
  categoryId!: string;

  @Nullable(() => PetStatus, "Availability of the pet. Null or omitted if unknown.")
  status!: PetStatus | null | undefined;
}

@ArgsType()
export class PetsArgs extends PageArgs {
  @Nullable(() => PetStatus, "Only pets with this availability.")
  status!: PetStatus | null | undefined;
}

export const PetConnection = ConnectionOf(Pet, "pet", isInt64);
export type PetConnection = InstanceType<typeof PetConnection>;
