import { ArgsType, Field, ID, InputType } from "type-graphql";
import { IsInt64 } from "../../common/int64";
import { PageArgs } from "../../pagination/connection";
import { IdempotentInput } from "../../schema/idempotent.input";
import { IsText } from "../../schema/text";
import { PET_NAME_MAX, PetStatus } from "./pet.entity";

@InputType({ description: "An animal to add." })
export class NewPet extends IdempotentInput {
  @Field(() => String, { description: "The animal's name, 1 to 200 characters." })
  @IsText(PET_NAME_MAX)
  name!: string;

  @Field(() => ID, { description: "Identifier (int64) of the category that the animal belongs to." })
  @IsInt64()
  categoryId!: string;

  @Field(() => PetStatus, { nullable: true, description: "Availability, where it is known." })
  status!: PetStatus | null | undefined;
}

@ArgsType()
export class PetsArgs extends PageArgs {
  @Field(() => PetStatus, { nullable: true, description: "Only animals with this availability." })
  status!: PetStatus | null | undefined;
}
