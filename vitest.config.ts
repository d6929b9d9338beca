import { defineConfig } from "vitest/config";

// Sources rather than builds, so that a test never meets a stale dist; processes that a test starts run from dist.
const shared = { ssr: { resolve: { conditions: ["development", "module", "node", "import", "default"] } } };

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: { name: "core", root: "core", include: ["src/**/*.test.ts"], setupFiles: ["reflect-metadata"] },
      },
      {
        ...shared,
        test: { name: "web", root: "plugins/web", include: ["src/**/*.test.ts"], setupFiles: ["reflect-metadata"] },
      },
      {
        ...shared,
        test: {
          name: "telegram",
          root: "plugins/telegram",
          include: ["src/**/*.test.ts"],
          setupFiles: ["reflect-metadata"],
        },
      },
      {
        ...shared,
        test: {
          name: "discord",
          root: "plugins/discord",
          include: ["src/**/*.test.ts"],
          setupFiles: ["reflect-metadata"],
        },
      },
      {
        ...shared,
        test: { name: "slack", root: "plugins/slack", include: ["src/**/*.test.ts"], setupFiles: ["reflect-metadata"] },
      },
      {
        ...shared,
        test: {
          name: "signal",
          root: "plugins/signal",
          include: ["src/**/*.test.ts"],
          setupFiles: ["reflect-metadata"],
        },
      },
      {
        ...shared,
        test: {
          name: "matrix",
          root: "plugins/matrix",
          include: ["src/**/*.test.ts"],
          setupFiles: ["reflect-metadata"],
        },
      },
      {
        ...shared,
        test: {
          name: "whatsapp",
          root: "plugins/whatsapp",
          include: ["src/**/*.test.ts"],
          setupFiles: ["reflect-metadata"],
        },
      },
      {
        ...shared,
        test: {
          name: "e2e",
          root: "e2e",
          include: ["**/*.test.ts"],
          setupFiles: ["reflect-metadata"],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
