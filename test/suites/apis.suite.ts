import { describeFolders } from "../support/folders";

describeFolders("access", "context", "graphql", "mcp", "rest");
