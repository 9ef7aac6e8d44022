import { describeFolders } from "../support/folders";

describeFolders("fuzz", "http", "limits", "parity", "telemetry", "usage");
