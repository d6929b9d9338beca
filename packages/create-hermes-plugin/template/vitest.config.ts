import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{src,emulator,test}/**/*.test.ts"],
    // Lists above the tests what is not claimed yet, and what to write for it; and writes the table into the README.
    env: { HERMES_CONFORMANCE: "unclaimed,readme" },
  },
});
