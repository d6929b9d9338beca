import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** In which time an endpoint has to answer before the next one is asked, in milliseconds. */
const PATIENCE_MS = 1_000;

/**
 * What stands in front of several gateways, as in production: a webhook goes to whichever answers, beginning with the one
 * that answered last.
 */
export class WebhookProxy implements AsyncDisposable {
  readonly #server: Server;
  #ports: readonly number[];

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer((asked, response) => void this.#pass(asked, response));
  }

  static async listen(port: number, to: readonly number[]): Promise<WebhookProxy> {
    const proxy = new WebhookProxy(to);
    await new Promise<void>((resolve) => proxy.#server.listen(port, "127.0.0.1", resolve));
    return proxy;
  }

  async #pass(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(asked);
    for (const port of this.#ports) {
      const answer = await ask(port, asked, body);
      if (answer === null) continue;
      this.#ports = [port, ...this.#ports.filter((other) => other !== port)];
      response.writeHead(answer.status).end(answer.body);
      return;
    }
    response.writeHead(502).end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** Null from one that is not there, or stopped. */
function ask(port: number, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer | null> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const passed = request({ port, method, path: url, headers: { ...headers, connection: "close" }, signal });
    passed.on("error", () => resolve(null));
    passed.on("response", (response) => {
      buffer(response).then(
        (text) => resolve({ status: response.statusCode ?? 502, body: text }),
        () => resolve(null),
      );
    });
    passed.end(body);
  });
}
