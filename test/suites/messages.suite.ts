import { describeFolders } from "../support/folders";

describeFolders("attention", "delivery", "events", "inbound", "lines", "messages", "webhooks");
