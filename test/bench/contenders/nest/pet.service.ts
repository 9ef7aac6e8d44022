import { BadRequestException, Injectable } from "@nestjs/common";
import { InjectRepository } from "@nestjs/typeorm";
import { MoreThan, Repository } from "typeorm";
import { decodeCursor, encodeCursor } from "../raw/cursor.mjs";
import { Pet } from "./entities.js";
import type { CreatePetInput, PetConnection, PetsArgs } from "./pet.types.js";

@Injectable()
export class PetService {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  async page({ first, after, status }: PetsArgs): Promise<PetConnection> {
    const start = after == null ? 0 : decodeCursor(after);
    if (start === undefined) throw new BadRequestException("There is no such cursor.");
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

  find(id: string): Promise<Pet | null> {
    return this.pets.findOneBy({ id });
  }

  /** Does not use `save`, whose transactions would overlap on TypeORM's only connection to SQLite. */
  async create({ name, categoryId, status = null }: CreatePetInput): Promise<Pet> {
    const pet = this.pets.create({ name, categoryId, status });
    await this.pets.insert(pet);
    return pet;
  }
}
