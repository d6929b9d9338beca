import type Database from "better-sqlite3";

/** The file's data about itself and the last server. */
export interface Meta {
  /** The file's mark, by which a page notices that the file was replaced. */
  readonly epoch: string;
  /** The beginning of links; null before the server's first start. */
  baseUrl: string | null;
  /** The last port that the server listened on; null before its first start. */
  port: number | null;
}

export function metaOf(db: Database.Database): Meta {
  const read = db.prepare<[string], { value: string }>("SELECT value FROM meta WHERE name = ?");
  const write = db.prepare("INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value");
  const get = (name: string) => read.get(name)?.value ?? null;
  return {
    epoch: get("epoch") ?? "",
    get baseUrl() {
      return get("base_url");
    },
    set baseUrl(url) {
      if (url !== null) write.run("base_url", url);
    },
    get port() {
      const port = get("port");
      return port === null ? null : Number(port);
    },
    set port(port) {
      if (port !== null) write.run("port", String(port));
    },
  };
}
