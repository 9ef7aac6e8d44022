import { ArgsType, Field, ID, InputType, Int } from "type-graphql";
import { Nullable, Optional } from "../../common/nullable";
import { PageArgs } from "../../pagination/connection";
import { GraphQLJsonObject } from "../../schema/json-object";
import { type ObjectRule, Rule } from "../../schema/object-rule";
import { IsLine } from "../../schema/text";
import { SCOPED_AGENT_ID } from "../agents/agent.inputs";
import { NOTE_MAX_LENGTH } from "./configuration.limits";

const AGENT_ID = { description: "ID of the agent." };

@ArgsType()
export class ConfigurationArgs {
  @Field(() => ID, SCOPED_AGENT_ID)
  agentId?: string | null | undefined;

  @Nullable(() => Int, "Version number. Null or omitted for the live version.")
  version?: number | null | undefined;
}

@ArgsType()
export class ConfigurationVersionsArgs extends PageArgs {
  @Field(() => ID, AGENT_ID)
  agentId!: string;
}

@InputType({ description: "A configuration draft to save for an agent." })
export class SaveConfigurationDraftInput {
  @Field(() => ID, AGENT_ID)
  agentId!: string;

  @Field(() => GraphQLJsonObject, {
    description:
      "The document, at most 256 KiB as JSON excluding its tests, and 1 MiB in total. It is saved even if it has problems.",
  })
  document!: Record<string, unknown>;

  @Field(() => Int, {
    description:
      "The draft revision that the document is based on, or 0 if there is no draft. If it is not the current revision, the request is rejected with `version_conflict`.",
  })
  expectedRevision!: number;

  @Nullable(
    () => Int,
    "The draft's `basedOn`, or the live version if there is no draft. If it has changed, the request is rejected with `version_conflict`. Pass it with the revision: each draft starts at 1.",
  )
  expectedBasedOn?: number | null | undefined;
}

/** Rejects a document with another source: `fromVersion` would publish it unchecked, for example. */
const HAS_ONE_SOURCE: ObjectRule = {
  fields: ["document", "fromVersion", "expectedRevision"],
  check: ({ document, fromVersion, expectedRevision }) => {
    if (document == null || (fromVersion == null && expectedRevision == null)) return undefined;
    const other = fromVersion == null ? "expectedRevision" : "fromVersion";
    return { path: "document", message: `is not allowed with ${other}` };
  },
};

@InputType({ description: "A configuration to publish: the draft, a document, or an earlier version." })
@Rule(HAS_ONE_SOURCE)
export class PublishConfigurationInput {
  @Field(() => ID, AGENT_ID)
  agentId!: string;

  @Field(() => Int, {
    description:
      "The version that the caller expects to be live. If another version is live, the request is rejected with `version_conflict`.",
  })
  expectedLiveVersion!: number;

  @Nullable(
    () => Int,
    "The draft revision that the caller has reviewed. If the draft is at another revision, the request is rejected with `version_conflict`.",
  )
  expectedRevision?: number | null | undefined;

  @Nullable(() => Int, "An earlier version to publish again. Null or omitted for the draft or `document`.")
  fromVersion?: number | null | undefined;

  @Nullable(
    () => GraphQLJsonObject,
    "A document to publish instead of the draft, which is left unchanged. Null or omitted for the draft or `fromVersion`.",
  )
  document?: Record<string, unknown> | null | undefined;

  @Optional(() => String, "Note about the changes, at most 500 characters.")
  @IsLine(NOTE_MAX_LENGTH, { trimmed: false })
  note?: string | null | undefined;

  @Optional(
    () => String,
    "Reason for publishing even if the document's tests fail, at most 500 characters. It is recorded in the audit log.",
  )
  @IsLine(NOTE_MAX_LENGTH, { trimmed: false })
  ignoreTests?: string | null | undefined;
}
