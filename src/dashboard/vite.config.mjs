import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const STYLES = dirname(fileURLToPath(import.meta.resolve("@mantine/core/styles/global.css")));

/**
 * Replaces the module preloads for libraries with scripts. Each script runs as a separate task, so the
 * browser can handle input in between.
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

/** Fails the build if the dashboard imports a Node.js module, because Vite would omit it and pages would not load. */
const browserOnly = {
  name: "browser-only",
  enforce: "pre",
  resolveId(id, importer) {
    if (id.startsWith("node:")) this.error(`${importer} imports ${id}, which browsers do not have`);
  },
};

/** Replaces the boot markers in the HTML with tags that load `boot.js`, because the CSP forbids inline scripts. */
const boot = () => {
  let file;
  return {
    name: "boot",
    apply: "build",
    generateBundle() {
      const source = readFileSync(join(import.meta.dirname, "boot.js"), "utf8");
      file = this.getFileName(this.emitFile({ type: "asset", name: "boot.js", source }));
    },
    transformIndexHtml: {
      order: "post",
      handler: (html) => html.replaceAll("<!-- boot -->", `<script src="/dashboard/${file}"></script>`),
    },
  };
};

/**
 * Returns a plugin that patches library modules. The build fails if a patch no longer applies to a new
 * version of the library.
 * @param changes the names of the expected patches
 * @param transform a plugin's `transform` hook that calls `done` with the name of each applied patch
 */
const libraryChanges = (name, changes, transform) => {
  const missing = new Set(changes);
  const done = (change) => missing.delete(change);
  return {
    name,
    enforce: "pre",
    transform: (code, id) => transform(code, id, done),
    generateBundle() {
      if (missing.size > 0) this.error(`${name} found nothing to change for: ${[...missing].join(", ")}`);
    },
  };
};

/** Mantine colors that no component here uses; their variables make up a third of all variables. */
const UNUSED_COLORS = "pink|grape|violet|blue|cyan|teal|lime|orange";

/**
 * Removes parts of Mantine that the first page does not need: component styles, which each component imports with its
 * own code; unused variables for colors, headings and breakpoints; and the code that computes variables, which come
 * from a file instead.
 */
const lessMantine = libraryChanges(
  "less-mantine",
  ["computed variables", "unused variables", "unused colors", "styles of components"],
  (code, id, done) => {
    const without = (pattern, change) => {
      const less = code.replace(pattern, "");
      if (less !== code) done(change);
      return less;
    };
    const component = /@mantine\/core\/esm\/.*\/(\w+)\/\1\.mjs$/.exec(id)?.[1];
    if (component === "MantineCssVariables") {
      done("computed variables");
      return "export const MantineCssVariables = () => null;";
    }
    if (id.endsWith("default-css-variables.css"))
      return without(
        new RegExp(
          `--mantine-(color-((${UNUSED_COLORS})-[\\w-]+|\\w+-outline[\\w-]*)|(h[1-6]|heading|breakpoint)-[\\w-]+):[^;}]*;?`,
          "g",
        ),
        "unused variables",
      );
    if (component === undefined && id.endsWith("default-colors.mjs"))
      return without(new RegExp(`(${UNUSED_COLORS}): \\[[^\\]]*\\],?`, "g"), "unused colors");
    if (component === undefined || !existsSync(join(STYLES, `${component}.css`))) return undefined;
    done("styles of components");
    return `import "@mantine/core/styles/${component}.css";\n${code}`;
  },
);

/** Modules that almost every page needs, in one file, because each additional file costs a request with its headers. */
const COMMON =
  /credentials[\\/]token-parts\.|icons-react[\\/].*Icon(Plus|Search|X)\.|dashboard[\\/](api[\\/][\w-]+|store|loaded|session[\\/](session|documents)|parts[\\/]documents|ui[\\/](failure|format|icon|name|notice|page|row-link|secrets|segmented|table|tag|task)|api-keys[\\/]key-state)\./;

/** Modules shared by many pages, by kind. None of them is loaded with Overview. */
const INPUTS =
  /@mantine[\\/]core[\\/].*[\\/](Input|InputBase|TextInput|NativeSelect|ActionIcon|CloseButton)[\\/]/;
const LISTS =
  /dashboard[\\/](ui[\\/](list|list-address|pager|menu-button|row-menu|filter-select|filter-chip|filters|search)|parts[\\/](agent-page|agent-label|use-agents))\./;
const INBOX =
  /dashboard[\\/](parts[\\/](contact-label|conversation-tag)|contacts[\\/](contact-tags|contacts\.module)|messages[\\/](message-state|preview)|conversations[\\/]documents|ui[\\/](beside|facts|found-page))\./;

/** Stubs for TanStack Query modules that its client imports but the dashboard does not use. */
const UNUSED_QUERIES = {
  mutationCache:
    "export class MutationCache { findAll() { return []; } async resumePausedMutations() {} clear() {} }",
  infiniteQueryBehavior:
    "export const infiniteQueryBehavior = () => undefined; export const [hasNextPage, hasPreviousPage] = [];",
};

const lessQuery = libraryChanges("less-query", Object.keys(UNUSED_QUERIES), (_, id, done) => {
  const module = /@tanstack\/query-core\/.*\/(\w+)\.js$/.exec(id)?.[1];
  done(module);
  return UNUSED_QUERIES[module];
});

/** Builds the dashboard as static files. `vite dev` shows changes immediately and expects the gateway on port 4000. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/dashboard/",
  // React has included this hook since version 18, so the shim is not needed.
  resolve: { alias: { "use-sync-external-store/shim/index.js": "react" } },
  plugins: [browserOnly, librariesFirst, boot(), lessMantine, lessQuery],
  build: {
    target: "baseline-widely-available",
    // The HTML lists the scripts that all pages share. A page's styles must be loaded with it, but its scripts load
    // each other, and listing them would add 1 kB to each first load.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostType }) =>
        files.filter((file) => hostType === "html" || file.endsWith(".css")),
    },
    // The first browser versions with light-dark(). It cannot be compiled for older browsers, because a
    // script selects the theme.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The Content-Security-Policy forbids scripts and styles in data: URLs.
    assetsInlineLimit: 0,
    rolldownOptions: {
      onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning),
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 5 },
            { name: "common", test: COMMON, priority: 4 },
            { name: "inputs", test: INPUTS, priority: 3 },
            { name: "lists", test: LISTS, priority: 2 },
            { name: "inbox", test: INBOX, priority: 1 },
          ],
        },
      },
    },
  },
  // Preserves the browser's Host header, because the server accepts session cookies only from its own origin.
  server: { proxy: { "/graphql": { target: "http://127.0.0.1:4000", changeOrigin: false } } },
});
