import { platformErrors } from "@hermes/core";
import { PLATFORM } from "./source.ts";

export const { forbidden, notFound, rateLimited, rejected, unauthorised, unavailable, uncertain } =
  platformErrors(PLATFORM);
