import { describeFolders } from "../support/folders";

describeFolders("http", "limits", "telemetry", "usage");
