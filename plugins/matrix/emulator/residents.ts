import { SERVER_NAME } from "./homeserver.ts";

/** The account that Hermes has there. */
export const BOT = {
  userId: `@hermes:${SERVER_NAME}`,
  name: "Hermes",
  password: "the emulated bot's password",
} as const;

/** Whoever writes where nobody is named. */
export const ADA = `@ada:${SERVER_NAME}`;

/** The rooms that are there from the start. */
export const ROOMS = {
  direct: `!direct:${SERVER_NAME}`,
  group: `!group:${SERVER_NAME}`,
  encrypted: `!encrypted:${SERVER_NAME}`,
  encryptedDirect: `!secret:${SERVER_NAME}`,
} as const;
