import { Field, InputType } from "type-graphql";
import { IsSlug } from "../../common/slug";
import { IsLine } from "../../schema/text";
import { ORGANIZATION_NAME_MAX_LENGTH } from "./organization.limits";

/** An organization to create from the command line. */
export class NewOrganization {
  @IsSlug()
  slug!: string;

  @IsLine(ORGANIZATION_NAME_MAX_LENGTH)
  name!: string;
}

@InputType({ description: "A new display name for an organization." })
export class RenameOrganizationInput {
  @Field(() => String, {
    description: "The new display name, 1 to 200 characters. Leading and trailing whitespace is trimmed.",
  })
  @IsLine(ORGANIZATION_NAME_MAX_LENGTH)
  name!: string;
}
