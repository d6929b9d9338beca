import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Lays a plugin for a pager where a project in `folder` finds it, with the code of its main module and of its set-up. */
export function layPager(folder: string, main: string, setup: string | null): void {
  const at = join(folder, "node_modules", "hermes-plugin-pager");
  mkdirSync(at, { recursive: true });
  const manifest = {
    ...{ name: "hermes-plugin-pager", version: "1.2.3", type: "module", keywords: ["hermes-plugin"] },
    exports: { ".": "./index.js", "./setup": "./setup.js" },
    hermes: { apiVersion: 2, kind: "platform", platform: "pager", ...(setup === null ? {} : { setup: "./setup" }) },
    peerDependencies: { "@hermes/core": "^0.1.0" },
  };
  writeFileSync(join(at, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(at, "index.js"), main);
  if (setup !== null) writeFileSync(join(at, "setup.js"), setup);
}
