import type { z } from "@hermes/core";
import { Refusal } from "./refusal.ts";

/** Reads the JSON of a request. Throws NOT_JSON, INVALID, TOO_LARGE. */
export async function readBody<T>(
  request: { header(name: string): string | undefined; json(): Promise<unknown> },
  schema: z.ZodType<T>,
): Promise<T> {
  // A page elsewhere cannot send this type without a CORS preflight.
  if (!request.header("content-type")?.startsWith("application/json")) throw new Refusal("NOT_JSON");
  const value = await request.json().catch((error: unknown) => {
    throw error instanceof Refusal ? error : new Refusal("INVALID");
  });
  return parsed(schema, value);
}

/** Checks a value. Throws INVALID, and TOO_LARGE for a text that is too long. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const isTooLong = result.error.issues.some((issue) => issue.code === "too_big" && issue.path[0] === "text");
  throw new Refusal(isTooLong ? "TOO_LARGE" : "INVALID");
}
