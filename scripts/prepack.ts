/**
 * Builds the package of the working directory before it is packed, and lays the license beside it. With HERMES_IS_BUILT
 * set, as by those who have just built everything, nothing is built: others may be reading it.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const folder = process.cwd();

if (!existsSync(join(folder, "LICENSE"))) copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
if (!process.env.HERMES_IS_BUILT) build();

function build(): void {
  const projects = [folder, join(folder, "emulator")].filter((project) => existsSync(join(project, "tsconfig.json")));
  const run = (name: string, ...args: string[]) =>
    execFileSync(join(root, "node_modules", ".bin", name), args, { stdio: ["ignore", 2, 2] });
  if (projects.length > 0) run("tsc", "-b", ...projects);
  const page = join(folder, "client", "vite.config.ts");
  if (existsSync(page)) run("vite", "build", "--logLevel", "warn", "--config", page);
}
