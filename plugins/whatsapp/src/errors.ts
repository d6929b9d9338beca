import { type PlatformError, platformErrors } from "@hermes/core";
import { PLATFORM } from "./source.ts";

export const { forbidden, notFound, rateLimited, rejected, unauthorised, unavailable, uncertain } =
  platformErrors(PLATFORM);

export function notRunning(): PlatformError {
  return unavailable("the plugin is not connected");
}
