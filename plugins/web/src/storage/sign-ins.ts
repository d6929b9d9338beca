import { createHash, randomBytes } from "node:crypto";
import type Database from "better-sqlite3";

/** The lifetime of a link's code, in milliseconds. */
const CODE_LIFETIME_MS = 2 * 60_000;

/** How long a browser stays signed in after its last visit, in milliseconds. */
export const BROWSER_LIFETIME_MS = 30 * 24 * 60 * 60_000;

/** The shortest time between two renewals of a sign-in, in milliseconds, so that not every request writes. */
const RENEW_AFTER_MS = 24 * 60 * 60_000;

/** The codes of links and the cookies of browsers. The file holds only hashes, which let nobody in. */
export class SignIns {
  readonly #addCode: Database.Statement<[string, number]>;
  readonly #code: Database.Statement<[string, number], { hash: string }>;
  readonly #useCode: Database.Statement<[string, number], { hash: string }>;
  readonly #addBrowser: Database.Statement<[string, number]>;
  readonly #browser: Database.Statement<[string, number], { expires_at: number }>;
  readonly #renew: Database.Statement<[number, string]>;
  readonly #forgetCodes: Database.Statement<[]>;
  readonly #forgetBrowsers: Database.Statement<[]>;
  readonly #expire: (now: number) => void;

  constructor(db: Database.Database) {
    this.#addCode = db.prepare("INSERT INTO codes VALUES (?, ?)");
    this.#code = db.prepare("SELECT hash FROM codes WHERE hash = ? AND expires_at > ?");
    // One statement, so that of two browsers with the same code only one gets in.
    this.#useCode = db.prepare("DELETE FROM codes WHERE hash = ? AND expires_at > ? RETURNING hash");
    this.#addBrowser = db.prepare("INSERT INTO browsers VALUES (?, ?)");
    this.#browser = db.prepare("SELECT expires_at FROM browsers WHERE hash = ? AND expires_at > ?");
    this.#renew = db.prepare("UPDATE browsers SET expires_at = ? WHERE hash = ?");
    this.#forgetCodes = db.prepare("DELETE FROM codes");
    this.#forgetBrowsers = db.prepare("DELETE FROM browsers");
    const expireCodes = db.prepare<[number]>("DELETE FROM codes WHERE expires_at <= ?");
    const expireBrowsers = db.prepare<[number]>("DELETE FROM browsers WHERE expires_at <= ?");
    this.#expire = (now) => {
      expireCodes.run(now);
      expireBrowsers.run(now);
    };
  }

  /** Creates a code, which signs one browser in once. */
  mintCode(now: number): string {
    this.#expire(now);
    const code = newSecret();
    this.#addCode.run(hashOf(code), now + CODE_LIFETIME_MS);
    return code;
  }

  /** Redeems a code. Returns the secret for the browser's cookie; null if the code was used or has expired. */
  redeem(code: string, now: number): string | null {
    const hash = hashOf(code);
    // Checked first, so that a wrong code never locks the file for the owner of a right one.
    if (!this.#code.get(hash, now) || !this.#useCode.get(hash, now)) return null;
    const cookie = newSecret();
    this.#addBrowser.run(hashOf(cookie), now + BROWSER_LIFETIME_MS);
    return cookie;
  }

  /** Checks a cookie. `renewed`: its expiry was extended, and the browser needs the new one. */
  check(cookie: string, now: number): "good" | "renewed" | "unknown" {
    const hash = hashOf(cookie);
    const row = this.#browser.get(hash, now);
    if (!row) return "unknown";
    const expiresAt = now + BROWSER_LIFETIME_MS;
    if (expiresAt - row.expires_at < RENEW_AFTER_MS) return "good";
    this.#renew.run(expiresAt, hash);
    return "renewed";
  }

  /** Signs every browser out, and makes codes void that nobody used; returns how many browsers there were. */
  forgetAll(): number {
    // Codes first: a browser that gets in between is signed out, too.
    this.#forgetCodes.run();
    return this.#forgetBrowsers.run().changes;
  }
}

/** Creates a secret of 256 bits. A plain hash of it can be stored, since nobody can guess it. */
function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
