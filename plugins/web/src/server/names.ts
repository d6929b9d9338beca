/** The names by which the page may be opened. */
export interface Names {
  /** The beginning of links, without a slash at the end. */
  readonly baseUrl: string;
  /** The allowed `Host` headers. */
  readonly hosts: ReadonlySet<string>;
  /** The allowed `Origin` headers. */
  readonly origins: ReadonlySet<string>;
  readonly isSecure: boolean;
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Collects the names that the server answers to, against DNS rebinding: a page elsewhere can have its own name resolve
 * to this machine, but cannot change the `Host` that the browser sends.
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
