import { feature } from "../../schema/feature";
import { Pet } from "./pet.entity";
import { PetResolver } from "./pet.resolver";
import { petRoutes } from "./pet.routes";
import { PetService } from "./pet.service";

/** The petstore, which all API keys share. */
export const pets = feature({
  entities: [Pet],
  services: ({ database }) => ({ pets: new PetService(database) }),
  resolvers: (services) => [new PetResolver(services.pets)],
  routes: petRoutes,
  batches: ["pets", "pages"],
});
