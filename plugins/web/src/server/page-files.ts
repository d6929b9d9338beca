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
  /** Its name changes with its content. */
  readonly isHashed: boolean;
}

/** The built page, by path; a request is looked up and touches no file system. Empty when the page was not built. */
export async function loadPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  // Beside the built server, or where the build puts it when the server runs from its sources.
  const folder = ["../client/", "../../dist/client/"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(`${path}index.html`));
  if (folder === undefined) return new Map();
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length).replaceAll("\\", "/").replace(/^\//, ""));
  const files = await Promise.all(names.map(async (name) => [`/${name}`, await load(folder, name)] as const));
  return new Map(files);
}

async function load(folder: string, name: string): Promise<PageFile> {
  const body = new Uint8Array(await readFile(folder + name));
  return {
    body,
    type: TYPES[extname(name)] ?? "application/octet-stream",
    isHashed: name.startsWith("assets/"),
  };
}
