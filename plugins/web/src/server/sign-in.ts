import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { BROWSER_LIFETIME_MS } from "../storage/sign-ins.ts";
import type { ServerParts, WebEnv } from "./parts.ts";
import { Refusal } from "./refusal.ts";

/**
 * Cookies do not tell ports apart, so two gateways on one machine need names of their own. Over HTTPS the browser
 * itself holds `__Host-` to this host and to a secure connection.
 */
function cookieName({ file, names }: ServerParts): string {
  return `${names.isSecure ? "__Host-" : ""}hermes-${file.meta.epoch}`;
}

/** Lets only browsers through that are signed in. */
export function signedInOnly(parts: ServerParts): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    const cookie = getCookie(c, cookieName(parts));
    if (cookie === undefined) throw new Refusal("NOT_SIGNED_IN");
    const verdict = parts.file.signIns.check(cookie, parts.clock.now());
    if (verdict === "unknown") throw new Refusal("NOT_SIGNED_IN");
    if (verdict === "renewed") giveCookie(c, parts, cookie);
    c.set("cookie", cookie);
    return next();
  };
}

/** Trades a link's code for a cookie. */
export function signIn(c: Context<WebEnv>, parts: ServerParts, code: string): void {
  const cookie = parts.file.signIns.redeem(code, parts.clock.now());
  if (cookie === null) throw new Refusal("LINK_USED");
  giveCookie(c, parts, cookie);
}

function giveCookie(c: Context<WebEnv>, parts: ServerParts, cookie: string): void {
  setCookie(c, cookieName(parts), cookie, {
    httpOnly: true,
    sameSite: "Strict",
    path: "/",
    secure: parts.names.isSecure,
    maxAge: BROWSER_LIFETIME_MS / 1000,
  });
}

export function addressOf(c: Context<WebEnv>): string {
  return getConnInfo(c).remote.address ?? "unknown";
}
