import { IsInt, IsNumberString, Length, Max, Min } from "class-validator";
import { GraphQLError } from "graphql";
import {
  Arg,
  Args,
  ArgsType,
  Field,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from "type-graphql";
import { MoreThan, type Repository } from "typeorm";
import { decodeCursor, encodeCursor } from "../raw/cursor.mjs";
import { Pet, PetStatus } from "./entities.js";

@ArgsType()
class PetsArgs {
  @Field(() => Int, { defaultValue: 20 })
  @IsInt()
  @Min(1)
  @Max(100)
  first!: number;

  @Field(() => String, { nullable: true })
  after?: string | null;

  @Field(() => PetStatus, { nullable: true })
  status?: PetStatus | null;
}

@InputType()
class CreatePetInput {
  @Field()
  @Length(1, 200)
  name!: string;

  @Field(() => ID)
  @IsNumberString({ no_symbols: true })
  categoryId!: string;

  @Field(() => PetStatus, { nullable: true })
  status?: PetStatus | null;
}

@ObjectType({ simpleResolvers: true })
class PageInfo {
  @Field()
  hasNextPage!: boolean;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}

@ObjectType({ simpleResolvers: true })
class PetConnection {
  @Field(() => [Pet])
  nodes!: Pet[];

  @Field()
  pageInfo!: PageInfo;
}

@Resolver(() => Pet)
export class PetResolver {
  constructor(private readonly pets: Repository<Pet>) {}

  @Query(() => PetConnection, { name: "pets" })
  async list(@Args(() => PetsArgs) { first, after, status }: PetsArgs): Promise<PetConnection> {
    const start = after == null ? 0 : decodeCursor(after);
    if (start === undefined)
      throw new GraphQLError("There is no such cursor.", { extensions: { code: "invalid_cursor" } });
    const rows = await this.pets.find({
      where: { id: MoreThan(String(start)), ...(status && { status }) },
      order: { id: "ASC" },
      take: first + 1,
    });
    const nodes = rows.slice(0, first);
    const last = nodes.at(-1);
    return {
      nodes,
      pageInfo: {
        hasNextPage: rows.length > first,
        endCursor: last === undefined ? null : encodeCursor(last.id),
      },
    };
  }

  @Query(() => Pet, { nullable: true })
  pet(@Arg("id", () => ID) id: string): Promise<Pet | null> {
    return this.pets.findOneBy({ id });
  }

  // Does not use `save`, whose transactions would overlap on TypeORM's only connection to SQLite.
  @Mutation(() => Pet)
  async createPet(
    @Arg("input", () => CreatePetInput) { name, categoryId, status = null }: CreatePetInput,
  ): Promise<Pet> {
    const pet = this.pets.create({ name, categoryId, status });
    await this.pets.insert(pet);
    return pet;
  }
}
