import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { answerJson, readBytes } from "@hermes/emulator";

/** Where files go, encrypted by those who send them; the server cannot read them. */
export class MediaStore {
  readonly #files = new Map<string, Buffer>();
  /** The largest body that is taken, in bytes; the server says so where it names itself. */
  largest = 100 * 1024 * 1024;
  readonly #url: () => string;

  constructor(url: () => string) {
    this.#url = url;
  }

  /** `host:port` of the server that takes files. */
  get host(): string {
    return new URL(this.#url()).host;
  }

  keep(body: Buffer): { readonly path: string; readonly url: string } {
    const path = `/v/t62/${createHash("sha256").update(body).digest("hex")}.enc`;
    this.#files.set(path, body);
    return { path, url: `${this.#url()}${path}` };
  }

  get(path: string): Buffer | undefined {
    return this.#files.get(path);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://media");
    if (request.method === "GET") {
      const body = this.#files.get(pathname);
      if (body) response.writeHead(200, { "content-type": "application/octet-stream" }).end(body);
      else answerJson(response, 404, {});
      return;
    }
    if (request.method !== "POST" || !pathname.startsWith("/mms/")) return answerJson(response, 404, {});
    if (searchParams.get("auth") !== "emulated-auth") return answerJson(response, 401, {});
    const body = await readBytes(request, this.largest);
    const token = createHash("sha256").update(body).digest("base64url");
    if (!pathname.endsWith(`/${token}`)) return answerJson(response, 400, {});
    const { path, url } = this.keep(body);
    answerJson(response, 200, { url, direct_path: path });
  }
}
