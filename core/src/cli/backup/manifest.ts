import { z } from "zod";
import { HermesError } from "../../base/errors.ts";

/** Where a backup says what is in it: its first file. */
export const MANIFEST = "manifest.json";

/** Larger ones, in bytes, are none of Hermes'. */
export const MANIFEST_LIMIT = 16 * 1024 ** 2;

export const STORE_FILE = "store/hermes.db";

/** Nothing else is taken out of a backup. */
const PLACES =
  /^(store\/hermes\.db|trusted-folders\.json|chat-history|files\/[0-9a-f]{64}|plugins\/[^/]+\/.+|config\/[^/]+)$/;

const path = z
  .string()
  .max(1_000)
  .regex(PLACES)
  .refine((text) => !/[\\:\p{Cc}]/u.test(text) && text.split("/").every((part) => !["", ".", ".."].includes(part)));

const manifest = z.object({
  format: z.literal(1),
  /** The version of Hermes that made it. */
  hermes: z.string().max(100),
  createdAt: z.number().int().positive(),
  files: z
    .array(z.object({ path, size: z.number().int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }))
    .max(100_000),
});

export type Manifest = z.infer<typeof manifest>;

/** Reads a backup's manifest. Throws BACKUP_UNFIT. */
export function parseManifest(text: string, file: string): Manifest {
  const parsed = manifest.safeParse(jsonIn(text));
  if (!parsed.success) throw unfit(file, "its manifest cannot be read, or was written by a newer Hermes");
  const paths = parsed.data.files.map((one) => one.path);
  if (new Set(paths).size < paths.length) throw unfit(file, "it names a file twice");
  if (!paths.includes(STORE_FILE)) throw unfit(file, "there is no store in it");
  return parsed.data;
}

export function unfit(file: string, reason: string): HermesError {
  return new HermesError("BACKUP_UNFIT", { file, reason });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
