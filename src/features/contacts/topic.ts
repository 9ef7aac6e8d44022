import { Field, ObjectType } from "type-graphql";
import type { EntityManager } from "typeorm";
import { suggestion } from "../../common/suggest";
import { InvalidInput } from "../../errors";
import { MaxCharacters } from "../../schema/list-size";
import { ALL_TOPICS, ConsentState } from "./consent.entity";
import { CONSENT_TOPIC_MAX_LENGTH } from "./contact.limits";

@ObjectType({
  description: "A message topic that contacts can opt in to or out of.",
})
export class Topic {
  @Field(() => String, { description: "Name of the topic in the agent's configuration." })
  @MaxCharacters(CONSENT_TOPIC_MAX_LENGTH)
  name!: string;

  @Field(() => String, { description: "Display name of the topic." })
  title!: string;

  @Field(() => ConsentState, { description: "Default for contacts who have neither opted in nor out." })
  default!: ConsentState;
}

declare module "../../schema/hooks" {
  interface Hooks {
    /** Reads the topics of an agent's live policy; implemented by exactly one feature. */
    topics: (reader: EntityManager, agentId: string) => Promise<Topic[]>;
  }
}

/**
 * Returns an error for topics that an agent does not declare; undefined if it declares all of them.
 * @param known the agent's topics
 * @param named topics in an input, with their paths
 */
export function unknownTopics(
  known: readonly Topic[],
  named: readonly { topic: string; path: string }[],
): InvalidInput | undefined {
  const names = [ALL_TOPICS, ...known.map(({ name }) => name)];
  const problems = named.flatMap(({ topic, path }) =>
    names.includes(topic)
      ? []
      : [{ path, message: `is not a topic of the agent's policy${suggestion(topic, names)}` }],
  );
  return problems.length > 0 ? new InvalidInput(problems) : undefined;
}

/** @throws InvalidInput for a topic that the agent does not declare */
export function assertTopics(...args: Parameters<typeof unknownTopics>): void {
  const problem = unknownTopics(...args);
  if (problem !== undefined) throw problem;
}
