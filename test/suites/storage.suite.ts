import { describeFolders } from "../support/folders";

describeFolders("database");
