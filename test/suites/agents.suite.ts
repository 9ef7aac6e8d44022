import { describeFolders } from "../support/folders";

describeFolders("agents", "configuration", "contacts", "conversations", "decisions", "timers");
