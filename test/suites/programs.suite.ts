import { describeFolders } from "../support/folders";

describeFolders(
  "bench",
  "cli",
  "contract",
  "deploy",
  "docs",
  "layers",
  "overload",
  "process",
  "supply-chain",
);
