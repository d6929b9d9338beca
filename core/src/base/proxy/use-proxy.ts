import { syncBuiltinESMExports } from "node:module";
import { type ProxySettings, readProxySettings } from "./proxy-settings.ts";
import { TunnelSocket } from "./tunnel-socket.ts";

/** The settings in use; the last ones apply. */
const inUse: ProxySettings[] = [];

/**
 * Sends every TCP and TLS connection of this process through the proxy that the environment names, whichever library
 * opens it: by `fetch`, a WebSocket or its own HTTP agent. Call the returned function to end that. Throws PROXY_INVALID.
 */
export function useProxy(environment: NodeJS.ProcessEnv): () => void {
  const settings = readProxySettings(environment);
  if (settings === null) return () => {};
  intercept();
  inUse.push(settings);
  return () => void inUse.splice(inUse.indexOf(settings), 1);
}

let isIntercepted = false;

/** Replaces Node's own `connect` functions: they are the one place that all libraries go through. */
function intercept(): void {
  if (isIntercepted) return;
  isIntercepted = true;
  // Not loaded where there is no proxy: a terminal needs none of them to start.
  const [http, net, tls] = [
    process.getBuiltinModule("node:http"),
    process.getBuiltinModule("node:net"),
    process.getBuiltinModule("node:tls"),
  ];
  const connectPlainly = net.connect;
  const connectEncrypted = tls.connect;

  const plain = (...args: unknown[]) => {
    const { options, callback } = optionsOf(args);
    const tunnel = tunnelTo(options, false);
    if (tunnel === null) return Reflect.apply(connectPlainly, net, args);
    if (callback) tunnel.once("connect", callback);
    return tunnel;
  };
  const encrypted = (...args: unknown[]) => {
    const { options, callback } = optionsOf(args);
    const tunnel = options.socket === undefined ? tunnelTo(options, true) : null;
    if (tunnel === null) return Reflect.apply(connectEncrypted, tls, args);
    return Reflect.apply(connectEncrypted, tls, [{ ...options, socket: tunnel }, ...(callback ? [callback] : [])]);
  };
  // Older versions of Node hold a reference to the function in their agents.
  const { prototype } = http.Agent as unknown as { readonly prototype: { createConnection: unknown } };
  if (prototype.createConnection === connectPlainly) prototype.createConnection = plain;
  Object.assign(net, { connect: plain, createConnection: plain });
  Object.assign(tls, { connect: encrypted });
  syncBuiltinESMExports();
}

interface ConnectOptions {
  readonly host?: string | null;
  readonly port?: number | string | null;
  /** A Unix socket or a named pipe, which needs no network. */
  readonly path?: string | null;
  readonly socket?: unknown;
}

type Callback = () => void;

/** Reads the arguments of `connect`: options; a port and a host; or a path. */
function optionsOf(args: readonly unknown[]): { readonly options: ConnectOptions; readonly callback: Callback | null } {
  const [first, second] = args;
  const callback = (args.find((arg) => typeof arg === "function") as Callback | undefined) ?? null;
  const own = args.find((arg) => typeof arg === "object" && arg !== null) as ConnectOptions | undefined;
  if (first === own) return { options: own ?? {}, callback };
  if (typeof first === "string" && !/^\d+$/.test(first)) return { options: { ...own, path: first }, callback };
  const host = typeof second === "string" ? { host: second } : {};
  return { options: { ...own, ...host, port: first as number | string }, callback };
}

function tunnelTo({ host, port, path }: ConnectOptions, isEncrypted: boolean): TunnelSocket | null {
  if (path || !host || !port) return null;
  const proxy = inUse.at(-1)?.proxyFor(host, Number(port), isEncrypted) ?? null;
  return proxy && new TunnelSocket(proxy, { host, port: Number(port) });
}
