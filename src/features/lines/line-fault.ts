import { Field, GraphQLISODateTime, ObjectType } from "type-graphql";
import type { Timestamp } from "../../common/time";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";

@ObjectType({ simpleResolvers: true, description: "Why a line cannot send messages." })
export class LineFault {
  @Field(() => String, {
    description:
      "Machine-readable error code, such as `auth` or `tls`. For a mail server's reply, it is `smtp_` and the status, such as `smtp_550`.",
  })
  code!: string;

  @ThirdPartyText()
  @Field(() => String, { description: "Human-readable description of the fault." })
  @MaxCharacters(500)
  detail!: string;

  @Field(() => GraphQLISODateTime, { description: "When the fault started." })
  since!: Timestamp;
}
