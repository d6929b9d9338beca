import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Whether Meta sent this: `X-Hub-Signature-256` has to be the HMAC of the bytes as they came, made with the app's secret
 * ("Webhooks › Validating payloads"). A payload that was read and written again has another one.
 */
export function isSigned(body: Uint8Array, signature: string | undefined, appSecret: string): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? "") ?? [];
  if (hex === undefined) return false;
  return timingSafeEqual(Buffer.from(hex, "hex"), createHmac("sha256", appSecret).update(body).digest());
}

/** Whether two words are the same, told in a time that says nothing about where they differ. */
export function isSame(given: string, wanted: string): boolean {
  const digest = (word: string) => createHmac("sha256", "compare").update(word).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
