import { defineConfig } from "vite";

/**
 * Runs each library as a task of its own before the page's, in place of only loading it early: in between, the
 * browser can answer to whoever is already typing.
 */
const runApart = {
  name: "run-apart",
  transformIndexHtml: {
    order: "post",
    handler(html) {
      const page = /<script type="module".*?<\/script>/.exec(html)?.[0];
      const libraries = [...html.matchAll(/ *<link rel="modulepreload"([^>]*) href=("[^"]+")>\n/g)];
      const scripts = libraries.map(
        ([, attributes, src]) => `<script type="module"${attributes} src=${src}></script>`,
      );
      const without = libraries.reduce((text, [link]) => text.replace(link, ""), html);
      return without.replace(page, [...scripts, page].join("\n    "));
    },
  },
};

/** The dashboard as static files; `vite dev` shows changes at once, on a gateway that runs at port 4000. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/dashboard/",
  plugins: [runApart],
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
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 2 },
            { name: "library", test: /node_modules/, priority: 1 },
          ],
        },
      },
    },
  },
  // With the address that the browser knows: the gateway keeps sessions for its own pages alone.
  server: { proxy: { "/graphql": { target: "http://127.0.0.1:4000", changeOrigin: false } } },
});
