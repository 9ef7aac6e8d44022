import { IsSlug } from "../../common/slug";
import { IsText } from "../../schema/text";

/** An organization to create from the command line. */
export class NewOrganization {
  @IsSlug()
  slug!: string;

  @IsText(200, { singleLine: true })
  name!: string;
}
