import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Packed, packedAs } from "./pack.ts";
import { type Case, expectIn, handsOff, packageJson } from "./using.ts";

/** The version behind that of a package. */
const next = (version: string) => version.replace(/\d+$/, (patch) => String(Number(patch) + 1));

/** A later core, and the page as somebody publishes it who names that core as a dependency rather than as a peer. */
export async function otherVersions(packed: readonly Packed[]): Promise<readonly Packed[]> {
  const core = find(packed, "@hermes/core");
  const page = find(packed, "@hermes/plugin-web");
  const { dependencies } = JSON.parse(readFileSync(join(page.folder, "package.json"), "utf8"));
  const version = next(core.version);
  return [
    await packedAs(core, { version }),
    await packedAs(page, {
      version: next(page.version),
      dependencies: { ...dependencies, [core.name]: version },
      peerDependencies: {},
    }),
  ];
}

function find(packed: readonly Packed[], name: string): Packed {
  const found = packed.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
}

const CONFIG = { plugins: [["@hermes/plugin-web", { port: 0 }]] };

const versionIn = (folder: string): string => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;

export const GLOBAL_AND_PROJECTS: Case = {
  name: "two versions of core: one global, a later one in the project",
  async run(project) {
    await project.manager("npm", "install", "--global", "@hermes/core", "@hermes/plugin-web");
    const hermes = (...args: string[]) => project.mustRun(join(project.globalBin, "hermes"), ...args);
    const older = (await hermes("--version")).trim();
    const later = next(older);
    project.write({ "package.json": packageJson(), "hermes.config.json": CONFIG });
    await project.manager("npm", "install", `@hermes/core@${later}`, `@hermes/plugin-web@${older}`);

    // The copy that runs says its version itself only when it is asked for more than that.
    const running = () => hermes("--version", "--json");
    expectIn(await running(), older);
    await hermes("chat", "-q", "Begun by the global one", "--json");
    await hermes("trust");
    expectIn(await running(), later);
    expectIn(await hermes("sessions"), "Begun by the global one");
    await handsOff(hermes);
    // What the later one has written is read by the older one, which runs where another config is named.
    project.write({ "~/.hermes/hermes.config.json": CONFIG });
    const elsewhere = { HERMES_CONFIG: join(project.home, ".hermes/hermes.config.json") };
    const global = join(project.globalBin, "hermes");
    expectIn((await project.run(global, ["--version", "--json"], elsewhere)).text, older);
    const { code, text } = await project.run(global, ["sessions"], elsewhere);
    expectIn(`${code} ${text}`, /^0 [\s\S]*Where do we stand/);
  },
};

export const PLUGINS_OWN: Case = {
  name: "two versions of core: a plugin brings one of its own",
  async run(project) {
    project.write({ "package.json": packageJson(), "hermes.config.json": CONFIG });
    await project.manager("npm", "install", "--save-exact", "@hermes/core");
    const core = join(project.folder, "node_modules/@hermes/core");
    const later = next(versionIn(core));
    await project.manager("npm", "install", `@hermes/plugin-web@${later}`);
    const own = join(project.folder, "node_modules/@hermes/plugin-web/node_modules/@hermes/core");
    if (versionIn(own) !== later || versionIn(core) === later) throw new Error("there are no two versions of core");
    await handsOff((...args) => project.manager("npm", "exec", "--", "hermes", ...args));
  },
};
