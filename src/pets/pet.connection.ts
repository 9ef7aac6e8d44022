import { ConnectionOf } from "../graphql/connection";
import { isInt64 } from "../validation/int64";
import { Pet } from "./pet.entity";

export const PetConnection = ConnectionOf(Pet, "pet", isInt64);
export type PetConnection = InstanceType<typeof PetConnection>;
