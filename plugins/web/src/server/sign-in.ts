import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { BROWSER_LIFETIME_MS } from "../storage/sign-ins.ts";
import type { ServerParts, WebEnv } from "./parts.ts";
import { Refusal } from "./refusal.ts";
import type { WrongCodes } from "./wrong-codes.ts";

/** The lifetime of the id by which a browser's wrong codes are counted, in seconds. */
const TRY_LIFETIME_S = 3_600;

/**
 * Names the cookie after the file, since cookies do not tell ports apart and two gateways may run on one machine. Over
 * HTTPS the prefix `__Host-` has the browser bind it to this host and to secure connections.
 */
function cookieName({ file, names }: ServerParts): string {
  return `${names.isSecure ? "__Host-" : ""}hermes-${file.meta.epoch}`;
}

/** Refuses browsers that are not signed in. */
export function signedInOnly(parts: ServerParts): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    const cookie = getCookie(c, cookieName(parts));
    if (cookie === undefined) throw new Refusal("NOT_SIGNED_IN");
    if (verdictOn(cookie, parts) === "renewed") giveCookie(c, parts, cookie);
    c.set("cookie", cookie);
    return next();
  };
}

/** Refuses browsers that were signed out while they sent a body: they can hold back its end for minutes. */
export function stillSignedInOnly(parts: ServerParts): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    // Kept by the request: whoever reads it next gets it, or the error.
    if (c.req.raw.body !== null) await c.req.arrayBuffer().catch(() => {});
    verdictOn(c.get("cookie"), parts);
    return next();
  };
}

function verdictOn(cookie: string, { file, clock }: ServerParts): "good" | "renewed" {
  const verdict = file.signIns.check(cookie, clock.now());
  if (verdict === "unknown") throw new Refusal("NOT_SIGNED_IN");
  return verdict;
}

/** Exchanges a link's code for a cookie, at once. Delays only wrong codes, see {@link WrongCodes}. */
export async function signIn(c: Context<WebEnv>, parts: ServerParts, wrong: WrongCodes, code: string): Promise<void> {
  const cookie = parts.file.signIns.redeem(code, parts.clock.now());
  if (cookie !== null) return giveCookie(c, parts, cookie);
  const name = `${cookieName(parts)}-try`;
  const browser = getCookie(c, name);
  if (browser === undefined)
    setCookie(c, name, wrong.newBrowser(), { ...cookieOptions(parts), maxAge: TRY_LIFETIME_S });
  await wrong.slowDown(browser, addressOf(c), c.req.raw.signal);
  throw new Refusal("LINK_USED");
}

function giveCookie(c: Context<WebEnv>, parts: ServerParts, cookie: string): void {
  setCookie(c, cookieName(parts), cookie, { ...cookieOptions(parts), maxAge: BROWSER_LIFETIME_MS / 1000 });
}

function cookieOptions({ names }: ServerParts) {
  return { httpOnly: true, sameSite: "Strict", path: "/", secure: names.isSecure } as const;
}

function addressOf(c: Context<WebEnv>): string {
  return getConnInfo(c).remote.address ?? "unknown";
}
