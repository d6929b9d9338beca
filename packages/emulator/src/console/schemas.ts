import { z } from "@hermes/core";
import type { EmulatedInbound, EmulatedPress, EmulatorFailure } from "../emulator.ts";

const id = z.string().min(1).max(500);
const milliseconds = z.number().min(0).max(86_400_000);

/** Not by a pattern, which would overflow over a long file. */
function isBase64(text: string): boolean {
  return Buffer.from(text, "base64").toString("base64") === text;
}

/** A file that a person sends: its content as a text, or any bytes in base64. */
const fileBody = z
  .strictObject({
    name: z.string().min(1),
    mediaType: z.string(),
    content: z.string().optional(),
    base64: z.string().refine(isBase64, "is no base64").optional(),
  })
  .refine(({ content, base64 }) => (content === undefined) !== (base64 === undefined), "give either content or base64")
  .transform(({ content = "", base64, ...file }) => {
    return { ...file, content: base64 === undefined ? content : Buffer.from(base64, "base64") };
  });

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
  files: z.array(fileBody).optional(),
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
    z.strictObject({
      is: z.enum([
        ...["break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"],
        ...["redeliver", "out-of-order", "lose"],
      ] as const),
    }),
  ]),
}) satisfies z.ZodType<EmulatorFailure>;

/** The body of `POST /_emulator/remove-thread`. */
export const threadBody = z.strictObject({ chatId: id, threadId: id });
