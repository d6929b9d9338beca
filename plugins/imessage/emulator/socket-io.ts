import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

const PING_INTERVAL_MS = 60_000;
const PING_TIMEOUT_MS = 120_000;
const LARGEST_FRAME = 100_000_000;

/** Engine.IO's packets, version 4. */
const OPEN = "0";
const PING = "2";
const PONG = "3";
const MESSAGE = "4";

/** Socket.IO's packets, within a message of Engine.IO. */
const CONNECT = `${MESSAGE}0`;
const DISCONNECT = `${MESSAGE}1`;
const EVENT = `${MESSAGE}2`;

/**
 * The server's Socket.IO, over a WebSocket. No client library is needed for it: a client opens
 * `/socket.io/?EIO=4&transport=websocket&password=…`, gets `0{"sid":…,"pingInterval":…,"pingTimeout":…}`, sends `40`,
 * gets `40{"sid":…}`, answers each `2` with `3`, and gets events as `42["new-message",{…}]`. After `41` it is not
 * connected any more, as with a wrong password, of which nothing else is said. socket.io-client 4.8 gets on with this too
 * (`transports: ["websocket"]`); polling, which it tries first otherwise, is left out here.
 */
export class SocketIo {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: LARGEST_FRAME });
  readonly #clients = new Set<WebSocket>();
  readonly #isPassword: (password: string) => boolean;
  /** Connections stay, and nothing comes on them. */
  isMute = false;

  constructor(isPassword: (password: string) => boolean) {
    this.#isPassword = isPassword;
  }

  /** How many clients get events. */
  get connections(): number {
    return this.#clients.size;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://emulator");
    const isKnown = pathname === "/socket.io/" && /^[34]$/.test(searchParams.get("EIO") ?? "");
    if (!isKnown || searchParams.get("transport") !== "websocket") {
      refuseUpgrade(socket, "400 Bad Request");
      return;
    }
    const password = searchParams.get("password") ?? searchParams.get("guid") ?? "";
    this.#server.handleUpgrade(request, socket, head, (client) => this.#open(client, password));
  }

  /** Tells every client. Nobody acknowledges an event, and none is kept for those who are not there. */
  emit(name: string, data: unknown): void {
    const packet = `${EVENT}${JSON.stringify([name, data])}`;
    for (const client of this.#clients) this.#send(client, packet);
  }

  ping(): void {
    for (const client of this.#clients) this.#send(client, PING);
  }

  close(): void {
    for (const client of this.#clients) client.terminate();
    this.#server.close();
  }

  #open(client: WebSocket, password: string): void {
    client.on("error", () => {});
    const pinging = setInterval(() => this.#send(client, PING), PING_INTERVAL_MS);
    client.on("close", () => {
      clearInterval(pinging);
      this.#clients.delete(client);
    });
    client.on("message", (frame) => this.#take(client, String(frame), password));
    const limits = { pingInterval: PING_INTERVAL_MS, pingTimeout: PING_TIMEOUT_MS, maxPayload: LARGEST_FRAME };
    this.#send(client, `${OPEN}${JSON.stringify({ sid: randomUUID(), upgrades: [], ...limits })}`);
  }

  #take(client: WebSocket, packet: string, password: string): void {
    if (packet === PING) this.#send(client, PONG);
    if (packet === DISCONNECT) client.close();
    if (!packet.startsWith(CONNECT)) return;
    this.#send(client, `${CONNECT}${JSON.stringify({ sid: randomUUID() })}`);
    if (this.#isPassword(decoded(password))) {
      this.#clients.add(client);
      return;
    }
    this.#send(client, DISCONNECT);
    client.close();
  }

  #send(client: WebSocket, packet: string): void {
    if (!this.isMute) client.send(packet);
  }
}

export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

/** The server takes the password of a client for URL-encoded once more. */
function decoded(password: string): string {
  try {
    return decodeURI(password);
  } catch {
    return password;
  }
}
