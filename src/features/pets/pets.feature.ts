import { feature } from "../../schema/feature";
import { Pet } from "./pet.entity";
import { PetResolver } from "./pet.resolver";
import { GET_PET_DEPRECATION, petRoutes } from "./pet.routes";
import { petScopes } from "./pet.scopes";
import { PetService } from "./pet.service";

declare module "../../auth/permissions" {
  interface Scopes extends Record<keyof typeof petScopes, string> {}
}

/** The petstore, shared by all API keys. */
export const pets = feature({
  entities: [Pet],
  services: ({ database }) => ({ pets: new PetService(database) }),
  resolvers: (services) => [new PetResolver(services.pets)],
  routes: petRoutes,
  scopes: petScopes,
  deprecations: { "Query.pet": GET_PET_DEPRECATION },
});
