import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { isEveryAddress } from "../config.ts";
import { cannotListen, listensEverywhere } from "../errors.ts";
import { createApp } from "./app.ts";
import { namesOf } from "./names.ts";
import { loadPageFiles } from "./page-files.ts";
import type { ServerParts } from "./parts.ts";

/** The server while it runs. */
export interface WebServer {
  readonly names: ServerParts["names"];
  /** Ends the streams and the connections. */
  stop(): Promise<void>;
}

/**
 * Listens, on the port that was used last where the config leaves it open, so that links stay good. Throws a
 * PlatformError when it cannot.
 */
export async function startWebServer(
  parts: Omit<ServerParts, "names">,
  address: { readonly host: string; readonly port: number; readonly publicUrl: string | undefined },
  onFailure: (error: Error) => void,
): Promise<WebServer> {
  const { meta } = parts.file;
  const pageFiles = await loadPageFiles();
  let app: ReturnType<typeof createApp> | undefined;
  // Nothing can come in before it listens, and its names are known only then.
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
    // A name may stand for them too: what was listened on in the end is looked at.
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
