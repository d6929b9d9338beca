import { type PlayableFailure, playable, refusals } from "@hermes/emulator";
import { REFUSALS } from "./refusal.ts";

/** Calls in Hermes' words, and by Meta's own names. */
const CALLS = [
  ...["connect", "send", "typing", "home", "media", "download", "upload", "commands"],
  ...["POST messages", "POST messages (read)", "GET phone number", "GET media", "GET media content", "POST media"],
  ...["POST conversational_automation", "GET app", "GET debug_token", "GET subscribed_apps"],
];

export const FAILURES: readonly PlayableFailure[] = [
  ...playable(["rate-limit", "break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"], CALLS),
  ...refusals(REFUSALS, CALLS),
  ...playable(["redeliver", "out-of-order"], ["deliver"]),
];
