import { defineConfig } from "vite";

/** The dashboard as static files; `vite dev` shows changes at once, on a gateway that runs at port 4000. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/dashboard/",
  build: {
    outDir: "../../dist/dashboard",
    emptyOutDir: true,
    target: "baseline-widely-available",
    // The first that know light-dark(), which cannot be spelt otherwise where a script chooses the scheme.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The Content-Security-Policy allows no data: scripts or styles, and fonts there are none.
    assetsInlineLimit: 0,
    rolldownOptions: {
      onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning),
    },
  },
  // With the address that the browser knows: the gateway keeps sessions for its own pages alone.
  server: { proxy: { "/graphql": { target: "http://127.0.0.1:4000", changeOrigin: false } } },
});
