import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import type { Packed } from "./pack.ts";

/**
 * A registry on this machine that has our packages as they were packed, and asks another one for all else. Of several
 * versions of a package the first is the latest.
 */
export async function startRegistry(packed: readonly Packed[], upstream: string) {
  const own = Map.groupBy(packed, ({ name }) => name);
  const files = new Map(packed.map((one) => [basename(one.tarball), one.tarball]));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1);
    const file = path.startsWith("own/") ? files.get(path.slice(4)) : undefined;
    const versions = own.get(path);
    if (file !== undefined) response.end(readFileSync(file));
    else if (versions !== undefined) answer(response, 200, documentOf(path, versions, `${url}own/`));
    else passOn(new URL(request.url ?? "/", upstream), request.headers.accept, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function documentOf(name: string, packed: readonly Packed[], files: string) {
  const at = "2026-01-01T00:00:00.000Z";
  return {
    name,
    "dist-tags": { latest: packed[0]?.version },
    versions: Object.fromEntries(packed.map((one) => [one.version, manifestOf(one, files)])),
    time: { created: at, modified: at, ...Object.fromEntries(packed.map(({ version }) => [version, at])) },
  };
}

function manifestOf({ name, version, tarball, folder }: Packed, files: string) {
  const bytes = readFileSync(tarball);
  const hash = (algorithm: string, form: "hex" | "base64") => createHash(algorithm).update(bytes).digest(form);
  const dist = {
    tarball: files + basename(tarball),
    shasum: hash("sha1", "hex"),
    integrity: `sha512-${hash("sha512", "base64")}`,
  };
  return { ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), _id: `${name}@${version}`, dist };
}

async function passOn(url: URL, accept: string | undefined, response: ServerResponse): Promise<void> {
  try {
    const found = await fetch(url, { headers: accept === undefined ? {} : { accept } });
    const type = found.headers.get("content-type") ?? "application/octet-stream";
    response.writeHead(found.status, { "content-type": type }).end(Buffer.from(await found.arrayBuffer()));
  } catch {
    answer(response, 502, { error: "the registry behind this one cannot be reached" });
  }
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
