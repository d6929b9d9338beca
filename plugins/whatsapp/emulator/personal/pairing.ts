import { randomBytes } from "node:crypto";
import { type BinaryNode, Curve, hmacSign, proto } from "@whiskeysockets/baileys";
import { node } from "./nodes.ts";
import type { ClientHello } from "./noise-responder.ts";
import { type LinkedDevice, lidJid, numberJid, type PersonalWorld } from "./world.ts";

/** What stands in the code that a device shows to be linked. */
export interface PairingCode {
  readonly ref: string;
  readonly noiseKey: Buffer;
  readonly identity: Buffer;
  readonly secret: Buffer;
}

const ACCOUNT_PREFIX = Buffer.from([6, 0]);

export function readPairingCode(code: string): PairingCode {
  const [ref = "", noiseKey = "", identity = "", secret = ""] = code.replace(/^[^#]*#/, "").split(",");
  const bytes = (text: string) => Buffer.from(text, "base64");
  return { ref, noiseKey: bytes(noiseKey), identity: bytes(identity), secret: bytes(secret) };
}

/** Offers codes to a device that wants to be linked: each is good for a while. */
export function offerCodes(refs: readonly string[]): BinaryNode {
  const children = refs.map((ref) => node("ref", {}, Buffer.from(ref)));
  return node("iq", { from: "s.whatsapp.net", type: "set", id: "pair-1", xmlns: "md" }, [
    node("pair-device", {}, children),
  ]);
}

/** The account's phone has scanned the code: it signs the device's identity, so that everybody can see whose it is. */
export function pair(
  world: PersonalWorld,
  { identity, noiseKey, secret }: PairingCode,
  { payload }: ClientHello,
): { readonly device: LinkedDevice; readonly success: BinaryNode } {
  const { owner } = world;
  const { private: phoneKey, public: phoneIdentity } = owner.phone.creds.signedIdentityKey;
  const number = world.newDeviceNumber();
  const details = proto.ADVDeviceIdentity.encode({
    rawId: randomBytes(4).readUInt32BE(),
    timestamp: world.seconds(),
    keyIndex: number,
  }).finish();
  const accountSignature = Curve.sign(phoneKey, Buffer.concat([ACCOUNT_PREFIX, details, identity]));
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: phoneIdentity,
    accountSignature,
  });
  const account = signed.finish();
  const proof = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: account,
    hmac: hmacSign(account, secret),
  }).finish();
  const success = node("iq", { from: "s.whatsapp.net", type: "set", id: "pair-2", xmlns: "md" }, [
    node("pair-success", {}, [
      node("device-identity", {}, Buffer.from(proof)),
      node("device", { jid: numberJid(owner, number), lid: lidJid(owner, number) }),
      node("platform", { name: "android" }),
    ]),
  ]);
  const pairing = payload.devicePairingData;
  const signedKey = {
    id: Buffer.from(pairing?.eSkeyId ?? [0, 0, 0]).readUIntBE(0, 3),
    key: Buffer.from(pairing?.eSkeyVal ?? []),
    signature: Buffer.from(pairing?.eSkeySig ?? []),
  };
  const registrationId = Buffer.from(pairing?.eRegid ?? [0, 0, 0, 0]).readUInt32BE();
  return { device: { number, noiseKey, identity, registrationId, signed: signedKey, oneTime: [] }, success };
}
