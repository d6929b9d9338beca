import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Where the sources of a package of this workspace lie. */
const SOURCES: readonly (readonly [name: RegExp, folder: string])[] = [
  [/^@hermes\/core(?=\/|$)/, "core"],
  [/^@hermes\/(testing|emulator)(?=\/|$)/, "packages/$1"],
  [/^@hermes\/plugin-(\w+)(?=\/|$)/, "plugins/$1"],
];

/**
 * Sources rather than builds, so that a test never meets a stale dist and needs no build; processes that a test starts
 * run from dist. The packages' own `exports` name what is packed, and nothing else.
 */
const sources: NonNullable<ViteUserConfig["plugins"]>[number] = {
  name: "hermes:sources",
  enforce: "pre",
  resolveId(id: string, importer?: string) {
    const own = /^#src\/(.*)$/.exec(id);
    if (own) return `${/^.*?\/plugins\/\w+\//.exec(importer ?? "")?.[0] ?? ""}src/${own[1]}.ts`;
    const found = SOURCES.find(([name]) => name.test(id));
    if (found === undefined || id.endsWith("package.json")) return null;
    const [name, folder] = found;
    const at = join(import.meta.dirname, (name.exec(id)?.[0] ?? "").replace(name, folder));
    const subpath = id.replace(name, "").slice(1);
    return [
      join(at, "src", `${subpath || "index"}.ts`),
      ...["src", ""].map((one) => join(at, one, subpath, "index.ts")),
    ].find((file) => existsSync(file));
  },
};

/** A test that hangs ends after so many milliseconds. It is no budget: a slow disk or a busy machine fails none. */
const HANGS_AFTER_MS = 60_000;

/** The same for a test that starts processes one behind the other. */
const PROCESSES_HANG_AFTER_MS = 240_000;

/** What does not come in so many milliseconds does not come. */
const COMES_WITHIN_MS = 30_000;

/** The tests in `root`; what else one of them needs stands in `more`. */
function project(
  name: string,
  root: string,
  more: { readonly include?: string[]; readonly testTimeout?: number; readonly isolate?: boolean } = {},
) {
  const poll = { timeout: COMES_WITHIN_MS };
  const patience = { testTimeout: HANGS_AFTER_MS, hookTimeout: HANGS_AFTER_MS, expect: { poll } };
  const test = { name, root, include: ["src/**/*.test.ts"], setupFiles: ["reflect-metadata"], ...patience, ...more };
  return { plugins: [sources], test };
}

/**
 * The longest files first, so that none of them runs alone at the end; core's, which share processes, last. Known by their
 * names, since a fresh clone has no times of an earlier run.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.name === "core"
        ? 2
        : /\/(adapter-kit|conformance|page|overview|sessions)\.test\.ts$/.test(moduleId)
          ? 0
          : 1;
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

const PLATFORMS = ["web", "telegram", "discord", "slack", "signal", "matrix", "whatsapp", "imessage"];

export default defineConfig({
  test: {
    // More than there are processors: tests of processes and platforms wait for them more than they work. As a number,
    // since a share of more than 100 % counts as 100 %.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Its many small files share a process: to load what they need anew for each takes longer than the tests.
      project("core", "core", { isolate: false }),
      ...["testing", "emulator", "create-hermes-plugin"].map((name) => project(name, `packages/${name}`)),
      ...PLATFORMS.map((platform) =>
        project(platform, `plugins/${platform}`, { include: ["{src,emulator,test}/**/*.test.ts"] }),
      ),
      project("soak", "soak", { include: ["**/*.test.ts"] }),
      project("e2e", "e2e", { include: ["*.test.ts"], testTimeout: PROCESSES_HANG_AFTER_MS }),
      // Commands of their own: `npm run journeys`, `npm run faults`.
      project("journeys", "e2e/journeys", { include: ["*.test.ts"], testTimeout: PROCESSES_HANG_AFTER_MS }),
      project("faults", "e2e/faults", { include: ["*.test.ts"], testTimeout: PROCESSES_HANG_AFTER_MS }),
    ],
  },
});
