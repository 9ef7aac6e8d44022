import { Args, ID, Mutation, Query, Resolver } from "@nestjs/graphql";
import { Pet } from "./entities.js";
import { PetService } from "./pet.service.js";
import { CreatePetInput, PetConnection, PetsArgs } from "./pet.types.js";

@Resolver(() => Pet)
export class PetResolver {
  constructor(private readonly service: PetService) {}

  @Query(() => PetConnection, { name: "pets" })
  list(@Args() args: PetsArgs): Promise<PetConnection> {
    return this.service.page(args);
  }

  @Query(() => Pet, { nullable: true })
  pet(@Args("id", { type: () => ID }) id: string): Promise<Pet | null> {
    return this.service.find(id);
  }

  @Mutation(() => Pet)
  createPet(@Args("input") input: CreatePetInput): Promise<Pet> {
    return this.service.create(input);
  }
}
