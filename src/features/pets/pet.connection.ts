import { isInt64 } from "../../common/int64";
import { ConnectionOf } from "../../pagination/connection";
import { Pet } from "./pet.entity";

export const PetConnection = ConnectionOf(Pet, "pet", isInt64);
export type PetConnection = InstanceType<typeof PetConnection>;
