import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A proxy that opens tunnels by CONNECT, as in companies. */
export interface ProxyServer extends AsyncDisposable {
  readonly port: number;
  /** Every requested `host:port`, including refused ones. */
  readonly asked: readonly string[];
}

export interface ProxyServerOptions {
  /** `user:password`, without which it answers 407. */
  readonly credentials?: string;
  /** The target port of a tunnel; by default, the requested one. Every host is this machine. */
  readonly portOf?: (host: string, port: number) => number;
}

/** Starts a proxy that connects every host to this machine. */
export async function startProxyServer({
  credentials,
  portOf = (_host, port) => port,
}: ProxyServerOptions = {}): Promise<ProxyServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const expected = credentials === undefined ? null : `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = createServer((_request, response) => response.writeHead(405).end());
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  server.on("connection", keep);
  server.on("connect", (request, client) => {
    const place = request.url ?? "";
    asked.push(place);
    if (expected !== null && request.headers["proxy-authorization"] !== expected) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const [host = "", port = ""] = place.split(":");
    const way = connect(portOf(host, Number(port)), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      way.pipe(client).pipe(way);
    });
    keep(way);
    way.on("close", () => client.destroy());
    client.on("close", () => way.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
