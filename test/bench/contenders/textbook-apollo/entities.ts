import { Field, ID, ObjectType, registerEnumType } from "type-graphql";
import {
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from "typeorm";

export enum PetStatus {
  available = "available",
  pending = "pending",
  sold = "sold",
}

registerEnumType(PetStatus, { name: "PetStatus" });

// Simple resolvers, so that fields that are only read skip the middleware stack.
@ObjectType({ simpleResolvers: true })
@Entity()
export class Pet {
  @Field(() => ID)
  @PrimaryGeneratedColumn({ type: "bigint" })
  id!: string;

  @Field()
  @Column()
  name!: string;

  @Field(() => ID)
  @Column({ name: "category_id", type: "bigint" })
  categoryId!: string;

  @Field(() => PetStatus, { nullable: true })
  @Column({ type: "varchar", nullable: true })
  status!: PetStatus | null;
}

@ObjectType({ simpleResolvers: true })
@Entity()
export class Organization {
  @Field(() => ID)
  @PrimaryColumn()
  id!: string;

  @Field()
  @Column()
  slug!: string;

  @Field()
  @Column()
  name!: string;

  @Column({ name: "deactivated_at", type: "varchar", nullable: true })
  deactivatedAt!: string | null;
}

@ObjectType({ simpleResolvers: true })
@Entity()
export class Agent {
  @Field(() => ID)
  @PrimaryColumn()
  id!: string;

  @Field()
  @Column()
  slug!: string;

  @Field()
  @Column()
  name!: string;

  @ManyToOne(() => Organization)
  @JoinColumn({ name: "organization_id" })
  organization!: Relation<Organization>;
}

@ObjectType("ApiKeyIdentity", { simpleResolvers: true })
@Entity()
export class ApiKey {
  @Field(() => ID)
  @PrimaryColumn()
  id!: string;

  @Field()
  @Column()
  name!: string;

  @Field()
  @Column()
  hint!: string;

  @Field()
  @Column({ name: "created_at" })
  createdAt!: string;

  @Column({ unique: true })
  hash!: string;

  @Column({ name: "expires_at", type: "varchar", nullable: true })
  expiresAt!: string | null;

  @Column({ name: "revoked_at", type: "varchar", nullable: true })
  revokedAt!: string | null;

  @ManyToOne(() => Agent)
  @JoinColumn({ name: "agent_id" })
  agent!: Relation<Agent>;
}
