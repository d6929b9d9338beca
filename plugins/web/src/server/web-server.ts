import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { isEveryAddress } from "../config.ts";
import { cannotListen, listensEverywhere } from "../errors.ts";
import { createApp } from "./app.ts";
import { namesOf } from "./names.ts";
import { loadPageFiles } from "./page-files.ts";
import type { ServerParts } from "./parts.ts";

/** A running server. */
export interface WebServer {
  readonly names: ServerParts["names"];
  /** Closes all streams and connections. */
  stop(): Promise<void>;
}

/**
 * Starts the server. With port 0 it takes the last used port if that is free, so that links stay valid. Throws a
 * PlatformError if it cannot listen.
 */
export async function startWebServer(
  parts: Omit<ServerParts, "names">,
  address: { readonly host: string; readonly port: number; readonly publicUrl: string | undefined },
  onFailure: (error: Error) => void,
): Promise<WebServer> {
  const { meta } = parts.file;
  const pageFiles = await loadPageFiles();
  let app: ReturnType<typeof createApp> | undefined;
  // The app needs the server's names, which are known only once it listens; no request can come before.
  const server = createAdaptorServer({
    fetch: (request, env) => app?.fetch(request, env) ?? new Response(null, { status: 503 }),
  }) as Server;
  const port =
    address.port === 0 && meta.port !== null
      ? await listen(server, address.host, meta.port).catch(() => listen(server, address.host, 0))
      : await listen(server, address.host, address.port);
  server.on("error", onFailure);
  const stop = () =>
    new Promise<void>((resolve) => {
      parts.live.close();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  try {
    // A name may resolve to every address too, so check the address that was taken.
    const { address: taken } = server.address() as AddressInfo;
    if (address.publicUrl === undefined && isEveryAddress(taken)) throw listensEverywhere(address.host);
    const names = namesOf({ ...address, port });
    app = createApp({ ...parts, names }, pageFiles);
    meta.port = port;
    meta.baseUrl = names.baseUrl;
    return { names, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(cannotListen(error, host, port));
    server.once("error", fail);
    server.listen(port, host.replace(/^\[|\]$/g, ""), () => {
      server.off("error", fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
