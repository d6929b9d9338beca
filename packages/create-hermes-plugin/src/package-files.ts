import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { Answers } from "./answers.ts";
import { named } from "./naming.ts";
import { fileOf, textOf } from "./parts.ts";

const ROOT = resolve(import.meta.dirname, "..");
const TEMPLATE = join(ROOT, "template");

/** The files of a package for a platform, by their names. */
export function packageFiles(answers: Omit<Answers, "folder">): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const path of readdirSync(TEMPLATE, { recursive: true, encoding: "utf8" }).sort()) {
    if (!statSync(join(TEMPLATE, path)).isFile()) continue;
    const file = relative(".", path).split(sep).join("/");
    const name = fileOf(file, answers);
    if (name === null) continue;
    const text = named(textOf(readFileSync(join(TEMPLATE, path), "utf8"), answers), answers.name);
    files.set(named(name, answers.name), name === "package.json" ? manifest(text, answers) : text);
  }
  return files;
}

/** A manifest that names this version of Hermes, and nothing that its parts do not need. */
function manifest(text: string, { receive }: Pick<Answers, "receive">): string {
  const json = JSON.parse(text) as Record<string, Record<string, string>>;
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
  for (const needed of [json.peerDependencies, json.devDependencies]) {
    for (const name of Object.keys(needed ?? {})) {
      // By whatever scope they are published under.
      if (/^@[^/]+\/(?:core|emulator|testing)$/.test(name) && needed) needed[name] = `^${version}`;
    }
  }
  if (receive !== "socket") {
    delete json.dependencies;
    delete json.devDependencies?.["@types/ws"];
  }
  return `${JSON.stringify(json, null, 2)}\n`;
}
