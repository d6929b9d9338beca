import { defineConfig } from "vitest/config";

// Sources rather than builds, so that a test never meets a stale dist; processes that a test starts run from dist.
const resolve = { conditions: ["@hermes/source", "module", "node", "import", "default"] };

/** The tests in `root`; what else one of them needs stands in `more`. */
function project(
  name: string,
  root: string,
  more: { readonly include?: string[]; readonly testTimeout?: number } = {},
) {
  const test = { name, root, include: ["src/**/*.test.ts"], setupFiles: ["reflect-metadata"], ...more };
  return { ssr: { resolve }, test };
}

const PLATFORMS = ["web", "telegram", "discord", "slack", "signal", "matrix", "whatsapp"];

export default defineConfig({
  test: {
    // By itself vitest leaves one processor alone, which on a machine with two runs one file after another.
    maxWorkers: "100%",
    projects: [
      project("core", "core"),
      ...["testing", "emulator"].map((name) => project(name, `packages/${name}`)),
      ...PLATFORMS.map((platform) =>
        project(platform, `plugins/${platform}`, { include: ["{src,emulator,test}/**/*.test.ts"] }),
      ),
      project("soak", "soak", { include: ["**/*.test.ts"] }),
      project("e2e", "e2e", { include: ["**/*.test.ts"], testTimeout: 60_000 }),
    ],
  },
});
