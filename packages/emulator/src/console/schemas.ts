import { z } from "zod";
import type { EmulatedInbound, EmulatedPress, EmulatorFailure } from "../emulator.ts";

const id = z.string().min(1).max(500);
const milliseconds = z.number().min(0).max(86_400_000);

/** The body of `POST /_emulator/receive`. */
export const inboundBody = z.strictObject({
  chatId: id,
  threadId: id.optional(),
  text: z.string(),
  userId: id.optional(),
  userName: z.string().optional(),
  isBot: z.boolean().optional(),
  isOwn: z.boolean().optional(),
  mentions: z.boolean().optional(),
  editOf: id.optional(),
  replyTo: id.optional(),
  files: z.array(z.strictObject({ name: z.string().min(1), mediaType: z.string(), content: z.string() })).optional(),
}) satisfies z.ZodType<EmulatedInbound>;

/** The body of `POST /_emulator/press`. */
export const pressBody = z.strictObject({
  chatId: id,
  threadId: id.optional(),
  messageId: id,
  label: z.string().min(1),
  userId: id.optional(),
}) satisfies z.ZodType<EmulatedPress>;

/** The body of `POST /_emulator/fail`. */
export const failureBody = z.strictObject({
  operation: z.string().min(1),
  times: z.int().min(1).optional(),
  kind: z.discriminatedUnion("is", [
    z.strictObject({ is: z.literal("rate-limit"), retryAfterMs: milliseconds }),
    z.strictObject({ is: z.literal("refuse"), code: z.string().min(1) }),
    z.strictObject({ is: z.enum(["break", "drop-answer", "hang", "disconnect", "redeliver", "out-of-order"]) }),
  ]),
}) satisfies z.ZodType<EmulatorFailure>;

/** The body of `POST /_emulator/remove-thread`. */
export const threadBody = z.strictObject({ chatId: id, threadId: id });
