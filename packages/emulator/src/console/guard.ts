import type { IncomingMessage } from "node:http";

/** Thrown for a request that the console refuses, with the HTTP status. */
export class Refusal extends Error {
  readonly status: number;
  /** Further fields of the answer. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(status: number, text: string, more: Readonly<Record<string, unknown>> = {}) {
    super(text);
    this.status = status;
    this.more = more;
  }
}

/**
 * Throws unless a request comes from this machine, uses one of its own host names, and is not from another page. Without
 * the check of the name, a page could get in by DNS rebinding.
 */
export function checkOwn(request: IncomingMessage): void {
  const { remoteAddress, localPort } = request.socket;
  if (!isLoopback(remoteAddress)) throw new Refusal(403, "The emulator answers to this machine alone.");
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${localPort}`);
  const { host, origin } = request.headers;
  if (host === undefined || !names.includes(host.toLowerCase())) {
    throw new Refusal(421, `The emulator does not answer to this name. Open it at http://127.0.0.1:${localPort}/.`);
  }
  if (origin !== undefined && !names.some((name) => origin === `http://${name}`)) {
    throw new Refusal(403, "This request came from another page and was refused.");
  }
}

/** Throws unless the body is JSON: another page cannot send that content type without a CORS preflight. */
export function checkJson(request: IncomingMessage): void {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    throw new Refusal(415, "Send JSON, with the content type application/json.");
  }
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address);
}
