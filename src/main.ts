import { reportAndExit, tolerateClosedPipe } from "./exit";
import { serve } from "./serve";

tolerateClosedPipe();
serve().catch((error) => reportAndExit(error));
