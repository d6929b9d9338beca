import { BlockList, isIP } from "node:net";
import { HermesError } from "../errors.ts";
import { secretsIn } from "../redact.ts";

/** A proxy that connections go through. */
export interface ProxyAddress {
  readonly isEncrypted: boolean;
  readonly host: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`; null when the proxy's URL names no user. */
  readonly authorization: string | null;
}

/** Decides which proxy a connection goes through. */
export interface ProxySettings {
  /** The proxy for a host; null for a direct connection. */
  proxyFor(host: string, port: number, isEncrypted: boolean): ProxyAddress | null;
}

const DEFAULT_PORTS = { "http:": 80, "https:": 443 } as const;

/**
 * Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY; the lower-case name of each takes precedence. Null when no proxy is set.
 * Connections to this machine never use a proxy. Throws PROXY_INVALID, which does not repeat the proxy's URL.
 */
export function readProxySettings(environment: NodeJS.ProcessEnv): ProxySettings | null {
  const encrypted = proxyIn("HTTPS_PROXY", environment);
  const plain = proxyIn("HTTP_PROXY", environment);
  if (encrypted === null && plain === null) return null;
  const proxies = [encrypted, plain].filter((proxy) => proxy !== null);
  const isExcepted = exceptionsIn(settingIn("NO_PROXY", environment));
  return {
    proxyFor(host, port, isEncrypted) {
      const name = bareHost(host);
      if (isThisMachine(name) || isExcepted(name, port)) return null;
      // A connection to the proxy itself is direct: some libraries read the variables on their own.
      if (proxies.some((proxy) => proxy.host === name && proxy.port === port)) return null;
      return isEncrypted ? encrypted : plain;
    },
  };
}

/** The secrets of an environment: variables with secret-looking names, and proxy passwords as written and as sent. */
export function secretsOfEnvironment(environment: NodeJS.ProcessEnv): string[] {
  const passwords = ["HTTPS_PROXY", "HTTP_PROXY"]
    .flatMap((name) => [environment[name], environment[name.toLowerCase()]])
    .flatMap((address) => {
      // Up to the last at-sign, as the URL parser reads it; also in a URL that is invalid.
      const [, user = "", password = ""] =
        /^(?:[a-z\d+.-]+:\/\/)?([^:@]*)(?::(.*))?@/is.exec(address?.trim() ?? "") ?? [];
      // Without a password, the user name is a token.
      const secret = password || user;
      if (secret === "") return [];
      return [secret, decoded(secret), basicAuthorization(decoded(user), decoded(password))];
    });
  return [...secretsIn(environment), ...passwords];
}

function settingIn(name: string, environment: NodeJS.ProcessEnv): string {
  return (environment[name.toLowerCase()] || environment[name] || "").trim();
}

function proxyIn(name: string, environment: NodeJS.ProcessEnv): ProxyAddress | null {
  const value = settingIn(name, environment);
  if (value === "") return null;
  const invalid = (reason: string) => new HermesError("PROXY_INVALID", { variable: name, reason });
  const address = value.includes("://") ? value : `http://${value}`;
  if (!URL.canParse(address)) throw invalid("is no address");
  const { protocol, hostname, port, username, password } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:") throw invalid(`begins with ${protocol}//`);
  return {
    isEncrypted: protocol === "https:",
    host: bareHost(hostname),
    port: port === "" ? DEFAULT_PORTS[protocol] : Number(port),
    authorization: username === "" ? null : `Basic ${basicAuthorization(decoded(username), decoded(password))}`,
  };
}

function basicAuthorization(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString("base64");
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function bareHost(host: string): string {
  return host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
}

const THIS_MACHINE = new BlockList();
THIS_MACHINE.addSubnet("127.0.0.0", 8, "ipv4");
THIS_MACHINE.addAddress("0.0.0.0", "ipv4");
THIS_MACHINE.addAddress("::1", "ipv6");
THIS_MACHINE.addAddress("::", "ipv6");

function isThisMachine(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isListed(host, THIS_MACHINE);
}

function isListed(host: string, list: BlockList): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 4 ? "ipv4" : "ipv6");
}

/** Parses `NO_PROXY`: `*`, hosts with their subdomains, addresses with an optional port, networks (`10.0.0.0/8`). */
function exceptionsIn(list: string): (host: string, port: number) => boolean {
  const networks = new BlockList();
  const names: { readonly host: string; readonly port: number | null }[] = [];
  for (const entry of list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)) {
    const [, network = "", bits = ""] = /^([\d.]+|[\da-f:]+)\/(\d+)$/.exec(entry) ?? [];
    const version = isIP(network);
    if (version !== 0 && Number(bits) <= (version === 4 ? 32 : 128)) {
      networks.addSubnet(network, Number(bits), version === 4 ? "ipv4" : "ipv6");
      continue;
    }
    const [, host = entry, port] = isIP(entry) === 6 ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
    names.push({ host: bareHost(host).replace(/^\*?\./, ""), port: port === undefined ? null : Number(port) });
  }
  return (host, port) =>
    isListed(host, networks) ||
    names.some(
      (name) =>
        (name.port === null || name.port === port) &&
        (name.host === "*" || name.host === host || host.endsWith(`.${name.host}`)),
    );
}
