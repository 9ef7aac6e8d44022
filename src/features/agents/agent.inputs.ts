import { IsSlug } from "../../common/slug";
import { IsText } from "../../schema/text";

/** An agent to create from the command line. */
export class NewAgent {
  @IsSlug()
  slug!: string;

  @IsText(200, { singleLine: true })
  name!: string;
}
