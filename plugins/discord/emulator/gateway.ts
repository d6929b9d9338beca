import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { botUser, guildPayload } from "./payloads.ts";
import { BOT, GUILD, type World } from "./world.ts";

/** Opcodes of the gateway (API reference, "Gateway Opcodes"). */
const OP = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalidSession: 9, hello: 10, ack: 11 };

/** Close codes of the gateway (API reference, "Gateway Close Event Codes"). */
const CLOSE = {
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  invalidVersion: 4012,
  disallowedIntents: 4014,
};

export const INTENT = { guilds: 1 << 0, guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 };

/** How many events can be replayed. */
const MOST_EVENTS = 1_000;

/** A session outlives its connections: what happens in between is replayed when the client resumes. */
interface Session {
  readonly id: string;
  readonly intents: number;
  /** The latest events, for whoever resumes. */
  readonly events: { readonly s: number; readonly t: string; readonly d: unknown }[];
  sequence: number;
  socket: WebSocket | null;
}

interface Packet {
  readonly op: number;
  readonly d?: unknown;
}

/** The WebSocket side: identifies clients, resumes sessions, and dispatches events to them. */
export class EmulatedGateway {
  readonly #world: World;
  readonly #url: () => string;
  readonly #token: string;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #sockets = new Set<WebSocket>();
  /** How many connections clients have made. */
  connections = 0;
  /** With which code the next client that identifies is turned away. */
  refuseNext: number | null = null;

  constructor(world: World, url: () => string, token: string) {
    this.#world = world;
    this.#url = url;
    this.#token = token;
  }

  /** Whether a client is connected and identified. */
  get isConnected(): boolean {
    return [...this.#sessions.values()].some(({ socket }) => socket?.readyState === WebSocket.OPEN);
  }

  /** Takes an HTTP connection that becomes a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { searchParams } = new URL(request.url ?? "/", this.#url());
    const isKnown = searchParams.get("v") === "10" && searchParams.get("encoding") === "json";
    this.#server.handleUpgrade(request, socket, head, (client) => {
      if (isKnown) this.#welcome(client);
      else client.close(CLOSE.invalidVersion);
    });
  }

  /** Tells an event to every session that asked for its kind. */
  dispatch(t: string, d: unknown, intent: number): void {
    for (const session of this.#sessions.values()) {
      if ((session.intents & intent) !== 0) this.#tell(session, t, d);
    }
  }

  /** Cuts every connection, as a network does. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Closes every connection with one of the gateway's close codes. */
  closeWith(code: number): void {
    for (const socket of this.#sockets) socket.close(code);
  }

  /** Tells clients to connect anew, as Discord does every few hours. */
  askToReconnect(): void {
    for (const socket of this.#sockets) send(socket, { op: OP.reconnect, d: null });
  }

  /** Forgets sessions: clients cannot resume, and identify again. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  close(): void {
    this.#sessions.clear();
    this.cut();
    this.#server.close();
  }

  #welcome(socket: WebSocket): void {
    this.#sockets.add(socket);
    this.connections++;
    let session: Session | null = null;
    socket.on("error", () => {});
    socket.on("close", (code) => {
      this.#sockets.delete(socket);
      if (session?.socket !== socket) return;
      session.socket = null;
      // A client that closes with one of these wants no more of its session.
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
    });
    socket.on("message", (data) => {
      const packet = parse(String(data));
      if (packet === null) return socket.close(CLOSE.decodeError);
      if (packet.op === OP.heartbeat) return send(socket, { op: OP.ack });
      if (packet.op === OP.identify) session = this.#identify(socket, packet.d);
      else if (packet.op === OP.resume) session = this.#resume(socket, packet.d);
      else if (session === null) socket.close(CLOSE.notAuthenticated);
    });
    send(socket, { op: OP.hello, d: { heartbeat_interval: 41_250 } });
  }

  #identify(socket: WebSocket, d: unknown): Session | null {
    const { token, intents } = Object(d) as { token?: unknown; intents?: unknown };
    if (token !== this.#token) return turnAway(socket, CLOSE.authenticationFailed);
    const refused = this.refuseNext;
    this.refuseNext = null;
    if (refused !== null) return turnAway(socket, refused);
    const wanted = Number(intents);
    if ((wanted & INTENT.messageContent) !== 0 && !this.#world.isMessageContentAllowed) {
      return turnAway(socket, CLOSE.disallowedIntents);
    }
    const session: Session = {
      id: `session-${this.#world.nextId()}`,
      intents: wanted,
      events: [],
      sequence: 0,
      socket,
    };
    this.#sessions.set(session.id, session);
    this.#tell(session, "READY", {
      v: 10,
      user: botUser(),
      guilds: [{ id: GUILD.id, unavailable: true }],
      session_id: session.id,
      resume_gateway_url: this.#url(),
      application: { id: BOT.applicationId, flags: 1 << 19 },
      session_type: "normal",
      private_channels: [],
      relationships: [],
      shard: [0, 1],
    });
    this.#tell(session, "GUILD_CREATE", guildPayload(this.#world));
    return session;
  }

  #resume(socket: WebSocket, d: unknown): Session | null {
    const { token, session_id: id, seq } = Object(d) as { token?: unknown; session_id?: unknown; seq?: unknown };
    if (token !== this.#token) return turnAway(socket, CLOSE.authenticationFailed);
    const session = this.#sessions.get(String(id));
    if (!session) {
      send(socket, { op: OP.invalidSession, d: false });
      return null;
    }
    session.socket = socket;
    for (const event of session.events) {
      if (event.s > Number(seq)) send(socket, { op: OP.dispatch, ...event });
    }
    this.#tell(session, "RESUMED", {});
    return session;
  }

  #tell(session: Session, t: string, d: unknown): void {
    const event = { s: ++session.sequence, t, d };
    session.events.push(event);
    if (session.events.length > MOST_EVENTS) session.events.shift();
    if (session.socket) send(session.socket, { op: OP.dispatch, ...event });
  }
}

function turnAway(socket: WebSocket, code: number): null {
  socket.close(code);
  return null;
}

function send(socket: WebSocket, packet: unknown): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(packet));
}

function parse(text: string): Packet | null {
  try {
    const packet: unknown = JSON.parse(text);
    return typeof packet === "object" && packet !== null && "op" in packet ? (packet as Packet) : null;
  } catch {
    return null;
  }
}
