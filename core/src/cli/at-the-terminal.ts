import type { Decider } from "../model/approval.ts";

/** The person at the terminal, as the one who decides about a question. */
export const AT_THE_TERMINAL: Decider = { name: "you", author: "terminal" };
