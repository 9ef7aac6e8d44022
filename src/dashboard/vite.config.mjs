import { defineConfig } from "vite";

/**
 * Replaces the module preloads of libraries with scripts: each runs as a separate task, and the browser can handle
 * input in between.
 */
const librariesFirst = {
  name: "libraries-first",
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

/** Builds the dashboard as static files. `vite dev` shows changes immediately, with the server on port 4000. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/dashboard/",
  plugins: [librariesFirst],
  build: {
    outDir: "../../dist/dashboard",
    emptyOutDir: true,
    target: "baseline-widely-available",
    // The first versions with light-dark(), which has no fallback when a script chooses the theme.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The Content-Security-Policy allows no scripts or styles in data: URLs.
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
  // Keeps the Host header of the browser: the server accepts session cookies only from its own origin.
  server: { proxy: { "/graphql": { target: "http://127.0.0.1:4000", changeOrigin: false } } },
});
