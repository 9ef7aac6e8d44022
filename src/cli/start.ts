import type { Command } from "commander";
import { stopExitingOnClosedPipe } from "./output";
import { addOnDatabase } from "./target";

export function addStartCommand(program: Command): void {
  addOnDatabase(program, "start")
    .description("run the server, configured by environment variables")
    .action(async () => {
      stopExitingOnClosedPipe();
      process.setSourceMapsEnabled(true);
      // Loads the server on demand, because that takes most of a second.
      const { serve }: typeof import("../serve") = require("../serve");
      await serve();
    });
}
