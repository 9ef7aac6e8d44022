import { Field, GraphQLISODateTime, ObjectType } from "type-graphql";
import type { Timestamp } from "../../common/time";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";

@ObjectType({ description: "A fault that keeps a line from sending messages." })
export class LineFault {
  @Field(() => String, {
    description:
      "Machine-readable error code of the last failed attempt, such as `timeout`, `auth` or `tls`. The code for a response is `http_` or `smtp_` followed by its status, such as `http_503`.",
  })
  code!: string;

  @ThirdPartyText()
  @Field(() => String, { description: "Human-readable description of the last failed attempt." })
  @MaxCharacters(500)
  detail!: string;

  @Field(() => GraphQLISODateTime, { description: "Start of the current series of failed attempts." })
  since!: Timestamp;
}
