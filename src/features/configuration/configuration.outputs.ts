import { Field, Int, ObjectType } from "type-graphql";
import { ConnectionOf } from "../../pagination/connection";
import { GraphQLJsonObject } from "../../schema/json-object";
import { AtMost, MaxCharacters } from "../../schema/list-size";
import { LineKind, LineState } from "../lines/line.entity";
import { MAX_LINES } from "../lines/line.limits";
import {
  DOCUMENT_MAX_BYTES,
  MAX_REPORTED,
  PROBLEM_MESSAGE_MAX_LENGTH,
  PROBLEM_PATH_MAX_LENGTH,
} from "./configuration.limits";
import { ConfigurationDraft } from "./configuration-draft.entity";
import { ConfigurationVersion } from "./configuration-version.entity";
import { ConfigurationDecider } from "./decider";
import type { DocumentCheck } from "./document/check-document";
import type { ConfigurationDocument } from "./document/format";
import type { Position, Problem } from "./document/problem";

@ObjectType({ simpleResolvers: true, description: "A line of an agent, as rules name it." })
export class ConfigurationLine {
  @Field(() => String, { description: "Short name, unique among the lines of the agent." })
  name!: string;

  @Field(() => LineKind, { description: "How the line delivers messages." })
  kind!: LineKind;

  @Field(() => String, {
    nullable: true,
    description: "The address that contacts see; null unless the line sends e-mail.",
  })
  address!: string | null;

  @Field(() => LineState, { description: "Current state of the line." })
  state!: LineState;

  @Field(() => Boolean, { description: "True if the agent uses the line by default." })
  isDefault!: boolean;
}

@ObjectType({
  simpleResolvers: true,
  description: "The setup of an agent: a version of its configuration, its current lines, and its decider.",
})
export class Configuration extends ConfigurationVersion {
  @Field(() => GraphQLJsonObject, { description: "The document; `digest` is that of its canonical form." })
  @MaxCharacters(DOCUMENT_MAX_BYTES)
  override document!: ConfigurationDocument;

  @Field(() => [ConfigurationLine], { description: "The lines of the agent, ordered by name." })
  @AtMost(MAX_LINES)
  lines!: ConfigurationLine[];

  @Field(() => ConfigurationDecider, { description: "The decider of the agent." })
  decider!: ConfigurationDecider;
}

/** The versions that have a cursor; they are numbered from 1. */
const isVersion = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text);

export const ConfigurationVersionConnection = ConnectionOf(
  ConfigurationVersion,
  "configuration-version",
  isVersion,
);
export type ConfigurationVersionConnection = InstanceType<typeof ConfigurationVersionConnection>;

@ObjectType({ simpleResolvers: true, description: "A place in the source of a condition or template." })
class SourcePosition implements Position {
  @Field(() => Int, { description: "Line of the source, from 1." })
  line!: number;

  @Field(() => Int, { description: "Column of the line, from 1." })
  column!: number;
}

@ObjectType({ simpleResolvers: true, description: "A problem with a part of a configuration document." })
class ConfigurationProblem implements Problem {
  @Field(() => String, {
    description: "The part, such as `rules[3].when[0]`; empty for the document as a whole.",
  })
  @MaxCharacters(PROBLEM_PATH_MAX_LENGTH)
  path!: string;

  @Field(() => String, { description: "The problem, such as `is required`." })
  @MaxCharacters(PROBLEM_MESSAGE_MAX_LENGTH)
  message!: string;

  @Field(() => SourcePosition, {
    nullable: true,
    description: "Where in the source of the part, if it is a condition or template and the place is known.",
  })
  position?: Position;
}

@ObjectType({ simpleResolvers: true, description: "The problems of a configuration document." })
export class ConfigurationCheck implements DocumentCheck {
  @Field(() => [ConfigurationProblem], {
    description: "Problems that prevent its publication, at most 100.",
  })
  @AtMost(MAX_REPORTED)
  problems!: Problem[];

  @Field(() => [ConfigurationProblem], {
    description:
      "Probable mistakes that do not prevent its publication, such as a rule that never fires; at most 100.",
  })
  @AtMost(MAX_REPORTED)
  warnings!: Problem[];
}

@ObjectType({ simpleResolvers: true, description: "A saved draft and its problems." })
export class SavedConfigurationDraft {
  @Field(() => ConfigurationDraft, { description: "The draft." })
  draft!: ConfigurationDraft;

  @Field(() => ConfigurationCheck, { description: "The problems of its document." })
  check!: DocumentCheck;
}
