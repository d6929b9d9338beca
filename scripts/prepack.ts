/**
 * Builds the package of the working directory before it is packed, and lays beside it the license, and what of others it
 * brings along. With HERMES_IS_BUILT
 * set, as by those who have just built everything, nothing is built: others may be reading it.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const folder = process.cwd();

if (!existsSync(join(folder, "LICENSE"))) copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
if (!process.env.HERMES_IS_BUILT) build();
if (folder === join(root, "packages/testing")) copyDocs();
if (existsSync(join(folder, "dist/bundle"))) copyGrammar(join(folder, "dist/bundle"));

function build(): void {
  const projects = [folder, join(folder, "emulator")].filter((project) => existsSync(join(project, "tsconfig.json")));
  const run = (name: string, ...args: string[]) =>
    execFileSync(join(root, "node_modules", ".bin", name), args, { stdio: ["ignore", 2, 2] });
  if (projects.length > 0) run("tsc", "-b", ...projects);
  if (folder === join(root, "core")) run("node", join(root, "scripts/bundle-core.ts"));
  const page = join(folder, "client", "vite.config.ts");
  if (existsSync(page)) run("vite", "build", "--logLevel", "warn", "--config", page);
}

/** Lays the pages that the kit's failures name beside it. */
function copyDocs(): void {
  mkdirSync(join(folder, "docs"), { recursive: true });
  for (const page of ["adapter-kit.md", "writing-an-adapter.md"]) {
    copyFileSync(join(root, "docs", page), join(folder, "docs", page));
  }
}

/** Lays the grammar of bash, with its license, beside the code that loads it. */
function copyGrammar(to: string): void {
  const from = join(root, "node_modules", "tree-sitter-bash");
  const names = { LICENSE: "tree-sitter-bash.LICENSE", "tree-sitter-bash.wasm": "tree-sitter-bash.wasm" };
  for (const [name, packed] of Object.entries(names)) {
    // Whoever reads it at this moment gets the whole of the old one.
    copyFileSync(join(from, name), join(to, `${packed}.new`));
    renameSync(join(to, `${packed}.new`), join(to, packed));
  }
}
