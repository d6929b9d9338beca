import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
} from "@whiskeysockets/baileys";
import type { KeyBundle } from "./signal-device.ts";

export const SERVER = "s.whatsapp.net";

export function node(tag: string, attrs: BinaryNode["attrs"] = {}, content?: BinaryNode["content"]): BinaryNode {
  return content === undefined ? { tag, attrs } : { tag, attrs, content };
}

/** The first child with one of these names, at any depth given. */
export function childOf(parent: BinaryNode | undefined, ...path: readonly string[]): BinaryNode | undefined {
  return path.reduce<BinaryNode | undefined>((at, tag) => getBinaryNodeChild(at, tag), parent);
}

export function childrenOf(parent: BinaryNode | undefined, tag: string): BinaryNode[] {
  return getBinaryNodeChildren(parent, tag);
}

export function bytesIn(parent: BinaryNode | undefined, tag: string): Buffer {
  return Buffer.from(getBinaryNodeChildBuffer(parent, tag) ?? []);
}

/** A number of a fixed length, the first byte first. */
function bigEndian(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

function intIn(parent: BinaryNode | undefined, tag: string): number {
  const bytes = bytesIn(parent, tag);
  return bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length);
}

/** A public key with its number, as `key` and `skey` have it. */
export function readKey(key: BinaryNode | undefined): {
  readonly id: number;
  readonly key: Buffer;
  readonly signature: Buffer;
} {
  return { id: intIn(key, "id"), key: bytesIn(key, "value"), signature: bytesIn(key, "signature") };
}

export function readRegistration(parent: BinaryNode): number {
  return intIn(parent, "registration");
}

/** The keys of a device, as `<user>` of `<key>` has them. */
export function bundleNode(jid: string, { registrationId, identity, signed, oneTime }: KeyBundle): BinaryNode {
  const keys = [
    node("registration", {}, bigEndian(registrationId, 4)),
    node("type", {}, Buffer.from([5])),
    node("identity", {}, Buffer.from(identity)),
    node("skey", {}, [
      node("id", {}, bigEndian(signed.id, 3)),
      node("value", {}, Buffer.from(signed.key)),
      node("signature", {}, Buffer.from(signed.signature)),
    ]),
  ];
  const key = oneTime && [node("id", {}, bigEndian(oneTime.id, 3)), node("value", {}, Buffer.from(oneTime.key))];
  return node("user", { jid }, key ? [...keys, node("key", {}, key)] : keys);
}
