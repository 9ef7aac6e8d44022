import { ApolloDriver, type ApolloDriverConfig } from "@nestjs/apollo";
import { Module, ValidationPipe } from "@nestjs/common";
import { APP_GUARD, APP_PIPE } from "@nestjs/core";
import { GraphQLModule } from "@nestjs/graphql";
import { TypeOrmModule } from "@nestjs/typeorm";
import { databaseOptions } from "./database.js";
import { Agent, ApiKey, Organization, Pet } from "./entities.js";
import { KeyGuard } from "./key.guard.js";
import { PetResolver } from "./pet.resolver.js";
import { PetService } from "./pet.service.js";
import { WhoamiResolver } from "./whoami.resolver.js";

@Module({
  imports: [
    TypeOrmModule.forRoot(databaseOptions(process.env.DATABASE_URL ?? "")),
    TypeOrmModule.forFeature([Pet, Organization, Agent, ApiKey]),
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      // Otherwise, the response to a key that the guard rejects would have status 200.
      preserveHttpStatusForExecutionErrors: false,
    }),
  ],
  providers: [
    PetService,
    PetResolver,
    WhoamiResolver,
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
})
export class AppModule {}
