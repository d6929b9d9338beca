/** Builds the package of the working directory before it is packed, and lays the license beside it. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const folder = process.cwd();

copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
const projects = [folder, join(folder, "emulator")].filter((project) => existsSync(join(project, "tsconfig.json")));
const bin = (name: string) => join(root, "node_modules", ".bin", name);
const stdio = ["ignore", 2, 2] as const;
if (projects.length > 0) execFileSync(bin("tsc"), ["-b", ...projects], { stdio: [...stdio] });
const page = join(folder, "client", "vite.config.ts");
if (existsSync(page))
  execFileSync(bin("vite"), ["build", "--logLevel", "warn", "--config", page], { stdio: [...stdio] });
