import type { FileLimits } from "../files/fit-for-model.ts";

/** The limits of a provider for the files of a request. */
export interface ProviderLimits extends FileLimits {
  /** Bytes of all files of a request together, before they are written in base64. */
  readonly allBytes: number;
  /** The most files of a request. */
  readonly files: number;
}

const MB = 1024 ** 2;

/** Of what is written in base64, three quarters are content. */
const inBase64 = (bytes: number) => Math.floor((bytes * 3) / 4);

/**
 * The limits of providers as they publish them, compared on 2026-11-29.
 *
 * - Anthropic (docs "Vision", "PDF support"): 5 MB a picture, written in base64; 8,000 pixels a side, 2,000 with more than
 *   20 pictures; 32 MB a request; 100 pages of PDF.
 * - Google (docs "Image understanding", "Document processing"): 20 MB a request; no GIF; 1,000 pages of PDF.
 * - OpenAI (docs "Images and vision", "File inputs"): 50 MB a request; 100 pages of PDF. Larger pictures are scaled down
 *   to 2,048 pixels there.
 */
const LIMITS: Readonly<Record<string, ProviderLimits>> = {
  anthropic: {
    picture: {
      ...{ side: 2_000, bytes: inBase64(5 * MB) },
      types: ["image/png", "image/jpeg", "image/gif", "image/webp"],
    },
    pdf: { pages: 100, bytes: inBase64(28 * MB) },
    ...{ allBytes: inBase64(28 * MB), files: 20 },
  },
  google: {
    picture: { side: 3_072, bytes: inBase64(10 * MB), types: ["image/png", "image/jpeg", "image/webp"] },
    pdf: { pages: 1_000, bytes: inBase64(18 * MB) },
    ...{ allBytes: inBase64(18 * MB), files: 20 },
  },
  openai: {
    picture: { side: 2_048, bytes: inBase64(20 * MB), types: ["image/png", "image/jpeg", "image/gif", "image/webp"] },
    pdf: { pages: 100, bytes: inBase64(32 * MB) },
    ...{ allBytes: inBase64(45 * MB), files: 20 },
  },
};

/** For servers of whom nothing is published: what all that are known take. */
const CAREFUL: ProviderLimits = {
  picture: { side: 2_000, bytes: inBase64(5 * MB), types: ["image/png", "image/jpeg"] },
  pdf: { pages: 100, bytes: inBase64(18 * MB) },
  ...{ allBytes: inBase64(18 * MB), files: 10 },
};

export function limitsOf(provider: string): ProviderLimits {
  return Object.hasOwn(LIMITS, provider) ? (LIMITS[provider] ?? CAREFUL) : CAREFUL;
}

/** Whether a model of which the catalogue knows nothing reads files, by whose it is: all newer ones of these do. */
export function mayReadFiles(model: string): boolean {
  return /(?:^|\/)(?:anthropic|openai|google)\//.test(model);
}
