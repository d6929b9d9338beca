/** Under which names the page may be opened, and how its links begin. */
export interface Names {
  /** How links begin, without a slash at the end. */
  readonly baseUrl: string;
  /** What a `Host` header may say. */
  readonly hosts: ReadonlySet<string>;
  /** What an `Origin` header may say. */
  readonly origins: ReadonlySet<string>;
  readonly isSecure: boolean;
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/**
 * A page elsewhere can have its own name resolve to this machine and so talk to this server from the person's browser
 * (DNS rebinding); it cannot change what the browser says in `Host`. So only names that are known are answered.
 */
export function namesOf(listening: {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
}): Names {
  const { port, publicUrl } = listening;
  const host = listening.host.includes(":") && !listening.host.startsWith("[") ? `[${listening.host}]` : listening.host;
  const urls = [...LOOPBACK, host].map((name) => new URL(`http://${name}:${port}`));
  const listenUrl = new URL(`http://${host}:${port}`);
  const publicAt = publicUrl === undefined ? null : new URL(publicUrl);
  if (publicAt) urls.push(publicAt);
  return {
    baseUrl: (publicAt ?? listenUrl).origin,
    hosts: new Set(urls.map((url) => url.host)),
    origins: new Set(urls.map((url) => url.origin)),
    isSecure: publicAt?.protocol === "https:",
  };
}
