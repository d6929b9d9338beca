import { PlatformError } from "@hermes/core";
import { PLATFORM } from "./source.ts";

export function unauthorised(): PlatformError {
  return new PlatformError("PLATFORM_UNAUTHORISED", { platform: PLATFORM });
}

export function forbidden(reason: string, hint: string): PlatformError {
  return new PlatformError("PLATFORM_FORBIDDEN", { platform: PLATFORM, reason, hint });
}

export function notFound(reason: string, hint: string): PlatformError {
  return new PlatformError("PLATFORM_NOT_FOUND", { platform: PLATFORM, reason, hint });
}

export function rejected(reason: string, hint: string): PlatformError {
  return new PlatformError("PLATFORM_REJECTED", { platform: PLATFORM, reason, hint });
}

/** `retryAfterMs`: how long WhatsApp asks to wait; null where it does not say, and Hermes takes its own time. */
export function rateLimited(retryAfterMs: number | null): PlatformError {
  const fields = { platform: PLATFORM, seconds: Math.ceil((retryAfterMs ?? 1_000) / 1_000) };
  return new PlatformError("PLATFORM_RATE_LIMITED", fields, retryAfterMs === null ? {} : { retryAfterMs });
}

export function unavailable(reason: string): PlatformError {
  return new PlatformError("PLATFORM_UNAVAILABLE", { platform: PLATFORM, reason });
}

export function uncertain(reason: string): PlatformError {
  return new PlatformError("PLATFORM_UNCERTAIN", { platform: PLATFORM, reason });
}

export function notRunning(): PlatformError {
  return unavailable("the plugin is not connected");
}
