import { ArgsType, Field, ID, InputType, Int, ObjectType } from "@nestjs/graphql";
import { IsEnum, IsInt, IsNumberString, IsOptional, IsString, Length, Max, Min } from "class-validator";
import { Pet, PetStatus } from "./entities.js";

@ArgsType()
export class PetsArgs {
  @Field(() => Int, { defaultValue: 20 })
  @IsInt()
  @Min(1)
  @Max(100)
  first!: number;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @IsString()
  after?: string | null;

  @Field(() => PetStatus, { nullable: true })
  @IsOptional()
  @IsEnum(PetStatus)
  status?: PetStatus | null;
}

@InputType()
export class CreatePetInput {
  @Field()
  @Length(1, 200)
  name!: string;

  @Field(() => ID)
  @IsNumberString({ no_symbols: true })
  categoryId!: string;

  @Field(() => PetStatus, { nullable: true })
  @IsOptional()
  @IsEnum(PetStatus)
  status?: PetStatus | null;
}

@ObjectType()
export class PageInfo {
  @Field()
  hasNextPage!: boolean;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}

@ObjectType()
export class PetConnection {
  @Field(() => [Pet])
  nodes!: Pet[];

  @Field()
  pageInfo!: PageInfo;
}
