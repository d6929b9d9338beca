import { defineConfig } from "vitest/config";

// Sources rather than builds, so that a test never meets a stale dist; processes that a test starts run from dist.
const resolve = { conditions: ["@hermes/source", "module", "node", "import", "default"] };

/** The tests in `root`; what else one of them needs stands in `more`. */
function project(
  name: string,
  root: string,
  more: { readonly include?: string[]; readonly testTimeout?: number; readonly isolate?: boolean } = {},
) {
  const test = { name, root, include: ["src/**/*.test.ts"], setupFiles: ["reflect-metadata"], ...more };
  return { ssr: { resolve }, test };
}

const PLATFORMS = ["web", "telegram", "discord", "slack", "signal", "matrix", "whatsapp"];

export default defineConfig({
  test: {
    // More than there are processors: tests of processes and platforms wait for them more than they work.
    maxWorkers: "150%",
    projects: [
      // Its many small files share a process: to load what they need anew for each takes longer than the tests.
      project("core", "core", { isolate: false }),
      ...["testing", "emulator"].map((name) => project(name, `packages/${name}`)),
      ...PLATFORMS.map((platform) =>
        project(platform, `plugins/${platform}`, { include: ["{src,emulator,test}/**/*.test.ts"] }),
      ),
      project("soak", "soak", { include: ["**/*.test.ts"] }),
      project("e2e", "e2e", { include: ["**/*.test.ts"], testTimeout: 60_000 }),
    ],
  },
});
