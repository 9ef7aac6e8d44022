import { describeFolders } from "../support/folders";

describeFolders("delivery", "events", "inbound", "lines", "messages", "webhooks");
