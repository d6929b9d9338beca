import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("./"),
  base: "/",
  cacheDir: at("../../../node_modules/.cache/vite-web"),
  // Its sources: what is packed shares its parts with what only Node runs.
  resolve: { alias: { "@hermes/core/markdown": at("../../../core/src/markdown/index.ts") } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: at("../dist/client"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Everything from the server itself: the page's policy knows no data: addresses.
    assetsInlineLimit: 0,
  },
});
