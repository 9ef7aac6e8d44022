import { describeFolders } from "../support/folders";

describeFolders("audit", "idempotency", "instance-key", "keys", "members", "organizations", "pets");
