import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  test: {
    include: ["{src,emulator,test}/**/*.test.ts"],
    env: {
      // Lists below the tests what is not claimed yet, and what to write for it; or writes the table into the README.
      HERMES_CONFORMANCE: mode === "table" ? "readme" : "unclaimed",
    },
  },
}));
