import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { ProxyAddress } from "./proxy-settings.ts";

/** Milliseconds that a proxy may take to open a tunnel. */
const PROXY_WITHIN_MS = 30_000;

/** In bytes: a longer answer does not come from an HTTP proxy. */
const LONGEST_ANSWER = 16 * 1_024;

/** Where a connection goes. */
export interface TunnelEnd {
  readonly host: string;
  readonly port: number;
}

/**
 * A connection through a proxy, by CONNECT. To HTTP clients and TLS it looks like a Node socket: it is `connecting` until
 * the proxy has opened the tunnel, and then emits `connect`; earlier writes wait until then. Its errors name the proxy
 * only by host and port.
 */
export class TunnelSocket extends Duplex {
  connecting = true;
  readonly #raw: Socket;
  readonly #proxy: ProxyAddress;
  readonly #opened = Promise.withResolvers<void>();

  constructor(proxy: ProxyAddress, to: TunnelEnd) {
    super({ allowHalfOpen: false });
    this.#proxy = proxy;
    this.#opened.promise.catch(() => {});
    const { host, port } = proxy;
    // Not imported: they are slow to load, and most processes need no proxy.
    const raw = proxy.isEncrypted
      ? process.getBuiltinModule("node:tls").connect({ host, port, servername: host })
      : process.getBuiltinModule("node:net").connect({ host, port });
    this.#raw = raw;
    raw.setTimeout(PROXY_WITHIN_MS, () => this.#fail("does not answer"));
    raw.once(proxy.isEncrypted ? "secureConnect" : "connect", () => raw.write(requestFor(to, proxy)));
    raw.on("error", (error: NodeJS.ErrnoException) => {
      if (this.connecting) this.#fail(`cannot be reached (${error.code ?? error.name})`, error.code);
      else this.destroy(error);
    });
    raw.on("close", () => (this.connecting ? this.#fail("closed the connection") : this.destroy()));
    this.#awaitAnswer(to);
  }

  #awaitAnswer(to: TunnelEnd): void {
    const raw = this.#raw;
    let answer = Buffer.alloc(0);
    const take = (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      const end = answer.indexOf("\r\n\r\n");
      if (end < 0) {
        if (answer.length > LONGEST_ANSWER) this.#fail("does not speak HTTP");
        return;
      }
      raw.off("data", take);
      raw.pause();
      const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer.subarray(0, end).toString("latin1"))?.[1]);
      if (status === 200) this.#open(answer.subarray(end + 4));
      else this.#fail(refusal(status, to));
    };
    raw.on("data", take);
  }

  #open(early: Buffer): void {
    const raw = this.#raw;
    raw.setTimeout(0);
    raw.removeAllListeners("timeout");
    raw.on("timeout", () => this.emit("timeout"));
    raw.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) raw.pause();
    });
    raw.on("end", () => this.push(null));
    if (early.length > 0) this.push(early);
    this.connecting = false;
    this.#opened.resolve();
    this.emit("connect");
    this.emit("ready");
    raw.resume();
  }

  #fail(what: string, code = "EPROXY"): void {
    if (this.destroyed) return;
    const error = Object.assign(new Error(`the proxy ${this.#proxy.host}:${this.#proxy.port} ${what}`), {
      code: code === "ECONNREFUSED" ? "EPROXY" : code,
    });
    this.destroy(error);
  }

  override _read(): void {
    if (!this.connecting) this.#raw.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    // A connection that never opens is destroyed, which fails the write.
    this.#opened.promise.then(() => this.#raw.write(chunk, done), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#opened.promise.then(() => {
      this.#raw.end();
      done();
    }, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.connecting = false;
    this.#opened.reject(error ?? new Error("the connection was closed"));
    this.#raw.destroy();
    done(error);
  }

  get remoteAddress(): string | undefined {
    return this.#raw.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#raw.remotePort;
  }

  setTimeout(timeoutMs: number, onTimeout?: () => void): this {
    if (!this.connecting) this.#raw.setTimeout(timeoutMs);
    else this.once("connect", () => this.#raw.setTimeout(timeoutMs));
    if (onTimeout) this.once("timeout", onTimeout);
    return this;
  }

  setNoDelay(isOn?: boolean): this {
    this.#raw.setNoDelay(isOn);
    return this;
  }

  setKeepAlive(isOn?: boolean, initialDelayMs?: number): this {
    this.#raw.setKeepAlive(isOn, initialDelayMs);
    return this;
  }

  ref(): this {
    this.#raw.ref();
    return this;
  }

  unref(): this {
    this.#raw.unref();
    return this;
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }
}

function requestFor({ host, port }: TunnelEnd, { authorization }: ProxyAddress): string {
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${place} HTTP/1.1`, `Host: ${place}`];
  if (authorization !== null) lines.push(`Proxy-Authorization: ${authorization}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function refusal(status: number, { host, port }: TunnelEnd): string {
  if (Number.isNaN(status)) return "does not speak HTTP";
  if (status === 407)
    return "asks for a user and a password (407); they go into its address: http://user:password@host";
  return `does not open a way to ${host}:${port} (${status})`;
}
