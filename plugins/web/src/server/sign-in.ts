import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { BROWSER_LIFETIME_MS } from "../storage/sign-ins.ts";
import type { ServerParts, WebEnv } from "./parts.ts";
import { Refusal } from "./refusal.ts";
import type { WrongCodes } from "./wrong-codes.ts";

/** How long a browser keeps the id by which its wrong codes are counted, in seconds. */
const TRY_LIFETIME_S = 3_600;

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

/** Trades a link's code for a cookie. A wrong code may be answered later, see {@link WrongCodes}; a right one never. */
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
