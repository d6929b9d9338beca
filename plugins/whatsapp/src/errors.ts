import { platformErrors } from "@hermes/core";
import { PLATFORM } from "./source.ts";

export const { forbidden, lost, notFound, rateLimited, rejected, unauthorised, unavailable, uncertain } =
  platformErrors(PLATFORM);
