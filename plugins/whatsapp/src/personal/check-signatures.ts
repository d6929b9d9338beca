import { Curve, generateSignalPubKey } from "@whiskeysockets/baileys";
import { libsignal } from "./libsignal.ts";

/**
 * Baileys takes every signature for a good one: it waits for libsignal to throw, and that returns false instead. So
 * anybody could pass for WhatsApp's server, as far as the certificate goes. This makes it look at the answer.
 */
export function checkSignatures(): void {
  Curve.verify = (publicKey, message, signature) => {
    try {
      return verifySignature(generateSignalPubKey(publicKey), message, signature) === true;
    } catch {
      return false;
    }
  };
}

function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): unknown {
  const curve = Object(libsignal.curve);
  const verify: unknown = Reflect.get(curve, "verifySignature");
  if (typeof verify !== "function") throw new Error("libsignal verifies no signatures");
  return Reflect.apply(verify, curve, [publicKey, message, signature]);
}
