import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { isSameSecret, jsonOf, type Logger, WebhookListener } from "@hermes/core";
import { PLATFORM } from "../source.ts";
import type { WebhookPayload } from "./wire.ts";

export interface WebhookParts {
  readonly webhook: { readonly host: string; readonly port: number; readonly path: string };
  readonly phoneNumberId: string;
  readonly appSecret: string;
  readonly verifyToken: string;
  readonly logger: Logger;
  /** Resolves once everything in it is kept. Only then is Meta told; it sends again what it was not told of. */
  readonly take: (payload: WebhookPayload) => Promise<void>;
  /** A webhook for the number came that was not signed with the app's secret. */
  readonly onForged: () => void;
}

/** Meta sends up to 3 MB at once ("Webhooks › Create a webhook endpoint"); bytes. */
const LARGEST_BODY = 4 * 1024 * 1024;

/** What receives Meta's webhooks. */
export function metaWebhooks(parts: WebhookParts): WebhookListener {
  const { webhook, phoneNumberId, appSecret, verifyToken, logger, take, onForged } = parts;
  const key = createSecretKey(appSecret, "utf8");
  return new WebhookListener({
    ...webhook,
    platform: PLATFORM,
    largest: LARGEST_BODY,
    logger,
    // Once, when the callback URL is entered at Meta ("Webhooks › Verification requests"); it has no signature.
    greet(query) {
      const isMeta = query.get("hub.mode") === "subscribe";
      return isMeta && isSameSecret(query.get("hub.verify_token") ?? "", verifyToken)
        ? (query.get("hub.challenge") ?? "")
        : null;
    },
    async take(body, { "x-hub-signature-256": signature }) {
      if (!isSigned(body, String(signature), key)) {
        const isSignedAtAll = signature !== undefined;
        logger.warn({ isSigned: isSignedAtAll }, "a webhook that does not fit the app's secret was refused");
        if (isSignedAtAll && body.includes(phoneNumberId)) onForged();
        return 403;
      }
      const payload = jsonOf(body);
      if (typeof payload !== "object" || payload === null) return 400;
      await take(payload);
      return 200;
    },
  });
}

/**
 * Whether Meta sent this: `X-Hub-Signature-256` is the HMAC of the bytes as they came, made with the app's secret
 * ("Webhooks › Validating payloads").
 */
function isSigned(body: Uint8Array, signature: string, key: KeyObject): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(signature) ?? [];
  if (hex === undefined) return false;
  return timingSafeEqual(Buffer.from(hex, "hex"), createHmac("sha256", key).update(body).digest());
}
