import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Scope } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { CallerIndependent } from "../../schema/caller-independent";
import { PetConnection } from "./pet.connection";
import { Pet } from "./pet.entity";
import { NewPet, PetsArgs } from "./pet.inputs";
import { GET_PET_DEPRECATION } from "./pet.routes";
import { PetService } from "./pet.service";

@Resolver(() => Pet)
export class PetResolver {
  constructor(private readonly pets: PetService) {}

  @Access({ key: Scope.pets_read })
  @CallerIndependent()
  @Query(() => PetConnection, {
    name: "pets",
    description: "Animals of the store in the order of their ids.",
  })
  list(@Args(() => PetsArgs) args: PetsArgs): Promise<PetConnection> {
    return this.pets.list(args);
  }

  @Access({ key: Scope.pets_read })
  @Query(() => Pet, {
    name: "pet",
    nullable: true,
    description: "One animal; null when there is none with this id.",
    deprecationReason: GET_PET_DEPRECATION.reason,
  })
  find(@Arg("id", () => ID, { description: "Its id (int64)." }) id: string): Promise<Pet | null> {
    return this.pets.find(id);
  }

  @Access({ key: Scope.pets_write })
  @Mutation(() => Pet, { name: "createPet", description: "Adds an animal to the store." })
  create(
    @Ctx() context: RequestContext,
    @Arg("input", () => NewPet, { description: "The animal." }) input: NewPet,
  ): Promise<Pet> {
    return this.pets.create(context, input);
  }
}
