import { type PlayableFailure, playable, refusals } from "@hermes/emulator";
import { ROUTES } from "./api.ts";
import { REFUSALS } from "./refusal.ts";

/** Calls in Hermes' words, and by Discord's own names. */
const CALLS = [
  ...["connect", "send", "edit", "createThread", "deleteThread", "typing", "home"],
  ...ROUTES.map(({ method, path }) => `${method} ${path}`),
];

/** Close codes of the gateway, with which a client is turned away when it connects. */
const CLOSE_CODES = {
  4004: "The gateway closes with 4004: the token is wrong.",
  4010: "The gateway closes with 4010: the shard is wrong.",
  4011: "The gateway closes with 4011: the bot needs several shards.",
  4012: "The gateway closes with 4012: the version of the API is wrong.",
  4013: "The gateway closes with 4013: the intents are wrong.",
  4014: "The gateway closes with 4014: an intent is off in the Developer Portal.",
};

export const FAILURES: readonly PlayableFailure[] = [
  ...playable(["rate-limit", "break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"], CALLS),
  ...refusals(REFUSALS, CALLS),
  ...refusals(CLOSE_CODES, ["connect", "GET /gateway/bot"]),
  ...playable(["redeliver", "lose", "out-of-order", "hang", "disconnect"], ["deliver"]),
];
