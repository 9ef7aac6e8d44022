import { reportAndExit } from "./exit";
import { serve } from "./serve";

serve().catch((error) => reportAndExit(error));
