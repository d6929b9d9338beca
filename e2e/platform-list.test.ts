import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PluginSetup } from "@hermes/core";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const file = join(root, "core/platforms.json");

/** The order in which they are offered; the first is proposed. */
const ORDER = ["web", "telegram", "discord", "slack", "signal", "imessage", "whatsapp", "matrix"];

interface Manifest {
  readonly name: string;
  readonly hermes: { readonly platform: string; readonly setup?: string };
}

it("core lists the official platforms as their plugins describe themselves", async () => {
  const listed = readdirSync(join(root, "plugins")).map(async (name) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(root, "plugins", name, "package.json"), "utf8"));
    if (manifest.hermes.setup === undefined) return [];
    const { setup } = (await import(join(root, "plugins", name, "src/setup.ts"))) as { setup: PluginSetup };
    const { title, summary } = setup;
    return [{ platform: manifest.hermes.platform, package: manifest.name, title, summary }];
  });
  const platforms = (await Promise.all(listed)).flat();
  platforms.sort((a, b) => ORDER.indexOf(a.platform) - ORDER.indexOf(b.platform));
  const text = `${JSON.stringify(platforms, null, 2)}\n`;
  if (process.env.UPDATE_DOCS) writeFileSync(file, text);
  expect(readFileSync(file, "utf8")).toBe(text);
});
