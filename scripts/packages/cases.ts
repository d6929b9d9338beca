import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { CONTAINER } from "./container.ts";
import { CREATES_OTHERS, CREATES_POLLING } from "./create-plugin.ts";
import { FRONT } from "./identity.ts";
import { KIT_CASES, KIT_IN_NODE } from "./kit.ts";
import type { Manager } from "./project.ts";
import { GLOBAL_AND_PROJECTS, PLUGINS_OWN } from "./two-cores.ts";
import { type Case, DATA, expectIn, PLUGINS, packageJson, TOKEN, usesHermes } from "./using.ts";

const TYPESCRIPT = `import { defineConfig, type HermesConfig } from "@hermes/core";
import { telegram } from "@hermes/plugin-telegram";
import { web } from "@hermes/plugin-web";

const config: HermesConfig = defineConfig({
  plugins: [web({ port: 0 }), telegram({ token: "${TOKEN}", allowedUsers: ["1"] })],
});
export default config;
`;

const compilerOptions = (module: string, moduleResolution: string) => ({
  compilerOptions: {
    ...{ module, moduleResolution, strict: true, noEmit: true, target: "es2023", types: ["node"], lib: ["es2024"] },
    skipLibCheck: true,
  },
  include: ["*.ts"],
});

function typescript(module: string, moduleResolution: string): Case {
  return {
    name: `npm, TypeScript (${moduleResolution}, strict)`,
    async run(project) {
      project.write({
        "package.json": packageJson({ type: "module" }),
        "hermes.config.ts": TYPESCRIPT,
        "tsconfig.json": compilerOptions(module, moduleResolution),
      });
      await project.manager("npm", "install", ...PLUGINS, "@types/node@24");
      await project.compile();
      await usesHermes((...args) => project.manager("npm", "exec", "--", "hermes", ...args));
    },
  };
}

function data(manager: Manager, file: string, content: string | object): Case {
  return {
    name: `${manager}, ${file}`,
    async run(project) {
      project.write({ "package.json": packageJson(), [file]: content });
      const installed = await project.manager(manager, manager === "npm" ? "install" : "add", ...PLUGINS);
      if (/unmet peer|YN0002|YN0086/i.test(installed)) throw new Error(`a peer is not met:\n${installed}`);
      const exec = { npm: ["exec", "--"], pnpm: ["exec"], yarn: ["exec"] }[manager];
      const hermes = (...args: string[]) => project.manager(manager, ...exec, "hermes", ...args);
      // With Plug'n'Play, Hermes lies in yarn's cache rather than in the project, whose config is then to be trusted.
      if (manager === "yarn") await hermes("trust");
      await usesHermes(hermes);
    },
  };
}

const yarnModules: Case = {
  name: "yarn, with node_modules",
  async run(project) {
    project.write({ ".yarnrc.yml": "nodeLinker: node-modules\n" });
    await data("yarn", "hermes.config.json", DATA).run(project);
  },
};

const commonJs: Case = {
  name: "npm, a CommonJS project",
  async run(project) {
    const config = TYPESCRIPT.replace(/import \{ (?:type )?(.*?) \} from (".*?");/g, "const { $1 } = require($2);");
    project.write({
      "package.json": packageJson({ type: "commonjs" }),
      "hermes.config.cjs": `${config
        .replace(", type HermesConfig", "")
        .replace(": HermesConfig", "")
        .replace("export default", "module.exports =")}`,
      "index.js": `console.log(typeof require("@hermes/core").defineConfig);`,
    });
    await project.manager("npm", "install", ...PLUGINS);
    expectIn(await project.mustRun("node", "index.js"), "function");
    await usesHermes((...args) => project.manager("npm", "exec", "--", "hermes", ...args));
  },
};

const global: Case = {
  name: "npm, global, with a config in Hermes' home",
  async run(project) {
    await project.manager("npm", "install", "--global", FRONT, "@hermes/plugin-telegram");
    const hermes = (...args: string[]) => project.mustRun(join(project.globalBin, "hermes"), ...args);
    expectIn(await hermes("plugins"), /telegram {2}@hermes\/plugin-telegram@.*\s+installed, not configured/);
    project.write({ "~/.hermes/hermes.config.json": DATA });
    await usesHermes(hermes);
    project.write({ "~/.hermes/hermes.config.ts": TYPESCRIPT });
    expectIn(await hermes("config", "check"), /hermes\.config\.ts is in order/);
  },
};

/** What `hermes plugins` changes, with what the project is installed with. */
function changesPlugins(manager: Manager): Case {
  return {
    name: `${manager}, hermes plugins add`,
    async run(project) {
      project.write({ "package.json": packageJson(), "hermes.config.json": {} });
      await project.manager(manager, manager === "npm" ? "install" : "add", "@hermes/core");
      const exec = { npm: ["exec", "--"], pnpm: ["exec"], yarn: ["exec"] }[manager];
      const hermes = (...args: string[]) => project.manager(manager, ...exec, "hermes", ...args);
      if (manager === "yarn") await hermes("trust");
      expectIn(
        await hermes("plugins", "add", "telegram"),
        /telegram is in .*hermes\.config\.json now\.[\s\S]*To do: .*token is missing/,
      );
      expectIn(project.read("hermes.config.json"), '"plugins": ["@hermes/plugin-telegram"]');
      const before = project.read("package.json");
      expectIn(before, "@hermes/plugin-telegram");
      const refused = async (name: string) =>
        String(await hermes("plugins", "add", name).catch((error: unknown) => error));
      expectIn(await refused("nowhere"), "The registry has no @hermes/plugin-nowhere.");
      expectIn(await refused("@types/semver@7.7.0"), "@types/semver is not a Hermes plugin");
      expectIn(before, project.read("package.json"));
      expectIn(await hermes("plugins", "update"), "is the newest already");
      expectIn(await hermes("plugins", "remove", "telegram", "--yes"), "It is uninstalled.");
      expectIn(project.read("hermes.config.json"), '"plugins": []');
    },
  };
}

const addsGlobally: Case = {
  name: "npm, global, hermes plugins add without a project",
  async run(project) {
    await project.manager("npm", "install", "--global", "@hermes/core");
    const hermes = (...args: string[]) => project.mustRun(join(project.globalBin, "hermes"), ...args);
    expectIn(await hermes("plugins", "add", "web"), /web is in .*\.hermes\/hermes\.config\.json now/);
    expectIn(await hermes("config", "check"), /is in order\.[\s\S]*platforms: web/);
    expectIn(await hermes("plugins"), "web  @hermes/plugin-web@");
  },
};

const npx: Case = {
  name: "npx on a machine with nothing",
  async run(project) {
    const hermes = (...args: string[]) => project.mustRun("npx", "--yes", "hermes-handoff", ...args);
    expectIn(await hermes("--version"), /^\d+\.\d+\.\d+/m);
    expectIn(await hermes("chat", "-q", "Where do we stand?", "--json"), "{");
    expectIn(await hermes("plugins"), "web  @hermes/plugin-web@");
  },
};

const setsUp: Case = {
  name: "npx hermes-handoff init, with a plugin that is not there yet",
  async run(project) {
    const telegram = await startTelegramEmulator();
    // What npx has run once, it runs again from its cache, whatever the registry has by now.
    const own = { npm_config_cache: join(project.home, "npm-cache") };
    const init = ["--yes", "hermes-handoff", "init", "--yes", "--model", "none", "--no-gateway", "--platform", "web"];
    const more = ["--home", "telegram=1001", "--set", `telegram.apiRoot=${telegram.options.apiRoot}`];
    const hermes = (token: string) => project.run("npx", [...init, ...more], { ...own, TELEGRAM_BOT_TOKEN: token });
    try {
      expectIn((await hermes(TOKEN)).text, "Telegram cannot be set up like this");
      if (project.has("package.json") || project.has(".env")) throw new Error("a set-up that failed wrote something");
      const { code, text } = await hermes(telegram.options.token);
      if (code !== 0) throw new Error(text);
      expectIn(project.read("package.json"), "@hermes/plugin-telegram");
      expectIn(project.read("hermes.config.ts"), "process.env.TELEGRAM_BOT_TOKEN");
      const checked = await project.run("npx", ["--yes", "hermes-handoff", "config", "check"], own);
      expectIn(checked.text, /is in order\.[\s\S]*platforms: web, telegram/);
    } finally {
      await telegram.close();
    }
  },
};

const fromNothing: Case = {
  name: "npx hermes-handoff init, from nothing to a first handoff on the page",
  async run(project) {
    const own = { npm_config_cache: join(project.home, "npm-cache") };
    const hermes = (...args: string[]) => project.run("npx", ["--yes", "hermes-handoff", ...args], own);
    const start = Date.now();
    try {
      const { text } = await hermes("init", "--yes", "--model", "none", "--platform", "web", "--set", "web.port=0");
      expectIn(text, /✓ completed[\s\S]*To come back: npx hermes-handoff resume/);
      console.log(`  nothing in npm's cache: ${((Date.now() - start) / 1_000).toFixed(1)} s, the download included`);
    } finally {
      await hermes("gateway", "stop");
    }
  },
};

const anotherApi: Case = {
  name: "a plugin of another core's API",
  async run(project) {
    project.write({ "package.json": packageJson({ type: "module" }), "hermes.config.json": DATA });
    await project.manager("npm", "install", ...PLUGINS);
    const manifest = join(project.folder, "node_modules/@hermes/plugin-telegram/package.json");
    const json = JSON.parse(readFileSync(manifest, "utf8"));
    json.hermes.apiVersion += 1;
    writeFileSync(manifest, JSON.stringify(json));
    const { code, text } = await project.run("npm", ["exec", "--", "hermes", "config", "check"]);
    expectIn(`${code} ${text}`, /^1 [\s\S]*@hermes\/plugin-telegram needs plugin API \d+; this Hermes has \d+/);
  },
};

function onNode(version: string, expected: RegExp): Case {
  return {
    name: `Node ${version}`,
    async run(project) {
      project.write({ "package.json": packageJson(), "hermes.config.json": DATA });
      await project.manager("npm", "install", ...PLUGINS);
      const hermes = join(project.folder, "node_modules/@hermes/core/bin/hermes.js");
      const node = ["exec", "--yes", "--package", `node@${version}`, "--", "node", hermes, "config", "check"];
      expectIn((await project.run("npm", node)).text, expected);
    },
  };
}

export const CASES: readonly Case[] = [
  data("npm", "hermes.config.json", DATA),
  KIT_IN_NODE,
  npx,
  CREATES_POLLING,
  setsUp,
  fromNothing,
  global,
  typescript("nodenext", "nodenext"),
  data("pnpm", "hermes.config.json", DATA),
  onNode("20", /^hermes needs Node\.js 22\.13 or newer; this is v20\./m),
  data("yarn", "hermes.config.json", DATA),
  typescript("esnext", "bundler"),
  commonJs,
  data(
    "npm",
    "hermes.config.yaml",
    `plugins:\n  - ["@hermes/plugin-web", { port: 0 }]\n  - ["@hermes/plugin-telegram", { token: "${TOKEN}", allowedUsers: ["1"] }]\n`,
  ),
  anotherApi,
  changesPlugins("npm"),
  changesPlugins("pnpm"),
  changesPlugins("yarn"),
  addsGlobally,
  onNode("22.23.3", /is in order/),
  onNode("24", /is in order/),
  GLOBAL_AND_PROJECTS,
  PLUGINS_OWN,
  yarnModules,
  ...KIT_CASES,
  ...CREATES_OTHERS,
  CONTAINER,
];
