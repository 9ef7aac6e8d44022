import { defineConfig } from "vite";

/** Builds GraphiQL as static files. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/graphiql/",
  build: {
    target: "baseline-widely-available",
    // Keeps light-dark(), because its replacements would ignore the chosen color scheme.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The Content-Security-Policy forbids scripts, styles and fonts in data: URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 10_000,
    rolldownOptions: {
      onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning),
    },
  },
  worker: { format: "es" },
});
