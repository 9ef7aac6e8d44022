// Here, so that its browser ends after the last test file.
import "../dashboard/chromium";
import { describeFolders } from "../support/folders";

describeFolders("dashboard");
