import type { Command } from "commander";
import { stopExitingOnClosedPipe } from "./output";

export function addStartCommand(program: Command): void {
  program
    .command("start")
    .description("run the server, configured by environment variables")
    .action(async () => {
      stopExitingOnClosedPipe();
      process.setSourceMapsEnabled(true);
      // Loaded here, because loading the server takes most of a second.
      const { serve }: typeof import("../serve") = require("../serve");
      await serve();
    });
}
