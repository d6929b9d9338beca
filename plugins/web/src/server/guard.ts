import type { MiddlewareHandler } from "hono";
import type { Names } from "./names.ts";
import { Refusal } from "./refusal.ts";

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Sets the security headers on every answer, refusals too. */
export function secureHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    // A file of a message has one of its own, which allows nothing.
    if (!c.res.headers.has("Content-Security-Policy")) c.header("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "no-referrer");
    c.header("Cross-Origin-Opener-Policy", "same-origin");
    c.header("Cross-Origin-Resource-Policy", "same-origin");
    c.header("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
    // Conversations stay out of the browser's cache; the page's files set a header of their own.
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  };
}

/** Refuses requests for any host but the page's own; see {@link Names}. */
export function ownNamesOnly(names: Names): MiddlewareHandler {
  return async (c, next) => {
    const host = c.req.header("host")?.toLowerCase();
    if (host === undefined || !names.hosts.has(host)) {
      return c.text(`Hermes does not answer to this name. Open it at ${names.baseUrl}.\n`, 421);
    }
    return next();
  };
}

/** Refuses requests that another page has the browser send. */
export function ownPagesOnly(names: Names): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header("origin");
    const isReading = c.req.method === "GET" || c.req.method === "HEAD";
    if (origin === undefined ? !isReading : !names.origins.has(origin)) throw new Refusal("WRONG_ORIGIN");
    const site = c.req.header("sec-fetch-site");
    if (site !== undefined && site !== "same-origin" && site !== "none") throw new Refusal("WRONG_ORIGIN");
    return next();
  };
}
