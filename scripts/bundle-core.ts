/**
 * Makes core as it runs of what the compiler wrote: few files, since a command that loads hundreds of modules waits longer
 * for them than for its work. All entries share the parts, so that a process has one copy of every module, whichever
 * entries its plugins import.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";

const at = (path: string) => join(import.meta.dirname, "../core", path);

/** What is taken in: many small modules that every terminal needs, of which nobody else hands an object to core. */
const INLINED =
  /\/node_modules\/(commander|markdown-it|entities|linkify-it|mdurl|punycode\.js|uc\.micro|tsyringe|tslib|zod|picocolors|ignore|mdast-util-to-string)\//;

/**
 * What is loaded together: these modules and all that they import, without what is in a part above. Whatever else is
 * imported by `import()` stays by itself.
 */
const PARTS = {
  start: ["host/project-copy", "host/code-cache"],
  "plugin-api": ["index"],
  "command-line": ["cli/program", "cli/update/hermes-call"],
  session: ["cli/chat/resume", "host/create-host", "host/open-store", "agent/create-agent"],
  store: ["store/sqlite/index"],
};

/** The languages of zod's messages: a third of it, of which English is used. */
const english: Plugin = {
  name: "hermes:english",
  resolveId: (source, importer = "") =>
    source === "../locales/index.js" && importer.includes("/node_modules/zod/") ? ENGLISH : null,
  load: (id) => (id === ENGLISH ? 'export { default as en } from "zod/v4/locales/en.js";' : null),
};

const ENGLISH = "hermes:zod-in-english";

/** Lays the licences of what is taken in beside it. */
const licences: Plugin = {
  name: "hermes:licences",
  generateBundle(_options, bundle) {
    const files = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
    this.emitFile({
      type: "asset",
      fileName: "THIRD-PARTY-LICENSES.txt",
      source: [...folders].sort().map(licenceOf).join("\n"),
    });
  },
};

function licenceOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`${name} has no licence beside it`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}

const bundle = await rolldown({
  input: {
    index: at("dist/index.js"),
    embed: at("dist/embed.js"),
    internal: at("dist/internal.js"),
    markdown: at("dist/markdown/index.js"),
    main: at("dist/cli/main.js"),
    "project-copy": at("dist/host/project-copy.js"),
    "code-cache": at("dist/host/code-cache.js"),
    "media-worker": at("dist/files/media-worker.js"),
    // For a test that starts the program with a store of its own.
    program: at("dist/cli/program.js"),
    io: at("dist/terminal/io.js"),
  },
  platform: "node",
  tsconfig: false,
  external: (id, importer) =>
    /^[^./#]/.test(id) && !INLINED.test(`/node_modules/${id}/`) && !INLINED.test(importer ?? ""),
  treeshake: false,
  plugins: [english, licences],
});
await bundle.write({
  // As deep in the package as the sources, which look from where they are.
  dir: at("dist/bundle"),
  cleanDir: true,
  // Without a hash: what Node keeps of a file takes the place of what it kept of the version before.
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-part.js",
  // A part that an update replaced below a running gateway must not get another function by the same letter.
  minifyInternalExports: false,
  // What must be there before the container is loaded, whatever order the bundler gives to imports of packages.
  banner: ({ name }) => (name === "session" ? 'import "reflect-metadata";' : ""),
  comments: { annotation: false, jsdoc: false, legal: true },
  codeSplitting: {
    groups: Object.entries(PARTS).map(([name, modules], above) => {
      const files = new Set(modules.map((module) => at(`dist/${module}.js`)));
      return { name, test: (id) => files.has(id), priority: 10 - above };
    }),
  },
});
await bundle.close();
