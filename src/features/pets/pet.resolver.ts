import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Input } from "../../schema/mutation-input";
import { Pet } from "./pet.entity";
import { CreatePetInput, PetConnection, PetsArgs } from "./pet.inputs";
import { PetService } from "./pet.service";

@Resolver(() => Pet)
export class PetResolver {
  constructor(private readonly pets: PetService) {}

  @Access({ key: "pets:read", member: true })
  @Query(() => PetConnection, {
    name: "pets",
    description: "Pets in the store, ordered by ID.",
  })
  list(@Args() args: PetsArgs): Promise<PetConnection> {
    return this.pets.list(args);
  }

  @Access({ key: "pets:read", member: true })
  @Query(() => Pet, {
    name: "pet",
    nullable: true,
    description: "One pet, or null if it does not exist.",
  })
  find(@Arg("id", () => ID, { description: "ID (int64) of the pet." }) id: string): Promise<Pet | null> {
    return this.pets.find(id);
  }

  @Access({ key: "pets:write", member: Permission.config_manage })
  @Mutation(() => Pet, { name: "createPet", description: "Adds a pet to the store." })
  create(@Ctx() context: RequestContext, @Input() input: CreatePetInput): Promise<Pet> {
    return this.pets.create(context, input);
  }
}
