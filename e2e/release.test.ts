import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { inScope, repositoryOf } from "../scripts/packages/identity.ts";

const root = resolve(import.meta.dirname, "..");

it("another scope is named throughout what is packed, and nothing else changes", () => {
  const text = `import "@hermes/core"; "@hermes/plugin-web/cli"; "hello@hermes"; "@hermes:x"`;
  expect(inScope(text, "@other")).toBe(`import "@other/core"; "@other/plugin-web/cli"; "hello@hermes"; "@hermes:x"`);
  expect(inScope(text, "@hermes")).toBe(text);
});

it("each packed package names the folder of the repository that it comes from", () => {
  const of = (name: string, scope?: string) => repositoryOf(name, "https://github.com/you/hermes", scope);
  expect(of("@hermes/plugin-web")).toEqual({
    ...{ type: "git", url: "git+https://github.com/you/hermes.git", directory: "plugins/web" },
  });
  expect([of("hermes-handoff"), of("@other/core", "@other")].map((one) => one.directory)).toEqual([
    "packages/front",
    "core",
  ]);
});

it("no code of core names the scope where another one would not be written in", () => {
  const folder = join(root, "core/src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const found = files.filter((name) => /@hermes(?!\/[a-z])\/?["'`$]/.test(readFileSync(join(folder, name), "utf8")));
  expect(found).toEqual([]);
});
