import type Database from "better-sqlite3";

/** What the file knows about itself and about the server that used it last. */
export interface Meta {
  /** Differs from file to file, so that a page notices that the file it followed is another one now. */
  readonly epoch: string;
  /** How links begin; null before the server's first start. */
  baseUrl: string | null;
  /** The port that was listened on last; null before the server's first start. */
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
