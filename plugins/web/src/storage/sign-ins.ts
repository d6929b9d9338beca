import { createHash, randomBytes } from "node:crypto";
import type Database from "better-sqlite3";

/** How long a code of a link works. */
const CODE_LIFETIME_MS = 2 * 60_000;

/** How long a browser stays signed in after its last visit. */
export const BROWSER_LIFETIME_MS = 30 * 24 * 60 * 60_000;

/** A visit moves the end on only after this long, so that not every request writes. */
const RENEW_AFTER_MS = 24 * 60 * 60_000;

/** Codes of links and cookies of browsers. The file holds hashes only: who reads it can sign in with nothing. */
export class SignIns {
  readonly #addCode: Database.Statement<[string, number]>;
  readonly #code: Database.Statement<[string, number], { hash: string }>;
  readonly #useCode: Database.Statement<[string, number], { hash: string }>;
  readonly #addBrowser: Database.Statement<[string, number]>;
  readonly #browser: Database.Statement<[string, number], { expires_at: number }>;
  readonly #renew: Database.Statement<[number, string]>;
  readonly #forgetAll: Database.Statement<[]>;
  readonly #expire: (now: number) => void;

  constructor(db: Database.Database) {
    this.#addCode = db.prepare("INSERT INTO codes VALUES (?, ?)");
    this.#code = db.prepare("SELECT hash FROM codes WHERE hash = ? AND expires_at > ?");
    // One statement: of two that come with the same code at once, one gets nothing.
    this.#useCode = db.prepare("DELETE FROM codes WHERE hash = ? AND expires_at > ? RETURNING hash");
    this.#addBrowser = db.prepare("INSERT INTO browsers VALUES (?, ?)");
    this.#browser = db.prepare("SELECT expires_at FROM browsers WHERE hash = ? AND expires_at > ?");
    this.#renew = db.prepare("UPDATE browsers SET expires_at = ? WHERE hash = ?");
    this.#forgetAll = db.prepare("DELETE FROM browsers");
    const expireCodes = db.prepare<[number]>("DELETE FROM codes WHERE expires_at <= ?");
    const expireBrowsers = db.prepare<[number]>("DELETE FROM browsers WHERE expires_at <= ?");
    this.#expire = (now) => {
      expireCodes.run(now);
      expireBrowsers.run(now);
    };
  }

  /** A new code, which signs one browser in once. */
  mintCode(now: number): string {
    this.#expire(now);
    const code = newSecret();
    this.#addCode.run(hashOf(code), now + CODE_LIFETIME_MS);
    return code;
  }

  /** Takes a code back; the secret for the browser's cookie, or null when the code was used or is too old. */
  redeem(code: string, now: number): string | null {
    const hash = hashOf(code);
    // Looked at first: a wrong code takes no lock from whoever mints or uses a right one.
    if (!this.#code.get(hash, now) || !this.#useCode.get(hash, now)) return null;
    const cookie = newSecret();
    this.#addBrowser.run(hashOf(cookie), now + BROWSER_LIFETIME_MS);
    return cookie;
  }

  /** Whether a cookie is good. `renewed`: its end was moved on, and the browser should hear of it. */
  check(cookie: string, now: number): "good" | "renewed" | "unknown" {
    const hash = hashOf(cookie);
    const row = this.#browser.get(hash, now);
    if (!row) return "unknown";
    const expiresAt = now + BROWSER_LIFETIME_MS;
    if (expiresAt - row.expires_at < RENEW_AFTER_MS) return "good";
    this.#renew.run(expiresAt, hash);
    return "renewed";
  }

  /** Signs every browser out; how many there were. */
  forgetAll(): number {
    return this.#forgetAll.run().changes;
  }
}

/** 256 bits; what is stored of it can be a plain hash, since nobody can guess it. */
function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
