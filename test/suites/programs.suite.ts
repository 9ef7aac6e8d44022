import { describeFolders } from "../support/folders";

describeFolders("bench", "cli", "deploy", "docs", "layers", "overload", "supply-chain");
