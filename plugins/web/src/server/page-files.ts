import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
}

/** Loads the built page's files, by path, so that no request reads the disk. Empty if the page was not built. */
export async function loadPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  // Beside the built server, or where the build puts it when the server runs from its sources.
  const folder = ["../client/", "../../dist/client/"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(`${path}index.html`));
  if (folder === undefined) return new Map();
  const names = await filesIn(folder);
  return new Map(await Promise.all(names.map(async (name) => [`/${name}`, await load(folder, name)] as const)));
}

/** Lists the files below a folder, level by level: in a recursive call yarn's Plug'n'Play takes folders for files. */
async function filesIn(folder: string, below = ""): Promise<string[]> {
  const entries = await readdir(folder + below, { withFileTypes: true });
  const found = entries.map((entry) => {
    const path = below + entry.name;
    return entry.isDirectory() ? filesIn(folder, `${path}/`) : [path];
  });
  return (await Promise.all(found)).flat();
}

async function load(folder: string, name: string): Promise<PageFile> {
  const body = new Uint8Array(await readFile(folder + name));
  return {
    body,
    type: TYPES[extname(name)] ?? "application/octet-stream",
    isHashed: name.startsWith("assets/"),
  };
}
