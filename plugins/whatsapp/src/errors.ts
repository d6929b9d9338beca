import { platformErrors } from "@hermes/core";
import { PLATFORM } from "./source.ts";

export const {
  beforehand,
  forbidden,
  lost,
  notFound,
  rateLimited,
  rejected,
  serverFailed,
  unauthorised,
  unavailable,
  uncertain,
} = platformErrors(PLATFORM);
