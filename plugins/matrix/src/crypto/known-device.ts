import { Method } from "matrix-js-sdk";
import type { MatrixApi } from "../api.ts";
import { type Content, objectOf, stringOf } from "../wire.ts";

/** What the server has of a device. */
export interface KnownDevice {
  readonly identityKey: string | undefined;
  /** Whether the account has an identity that could sign it, and whether that has. */
  readonly hasIdentity: boolean;
  readonly isSigned: boolean;
}

/** What everybody is told about a device of the account. */
export async function knownDevice(api: MatrixApi, userId: string, deviceId: string): Promise<KnownDevice> {
  const body = { device_keys: { [userId]: [] } };
  const answer = await api.request<Content>(Method.Post, "/keys/query", { body });
  const of = (kind: string) => objectOf(objectOf(answer[kind])[userId]);
  const device = objectOf(of("device_keys")[deviceId]);
  const signers = Object.keys(objectOf(of("self_signing_keys").keys));
  const signatures = objectOf(objectOf(device.signatures)[userId]);
  return {
    identityKey: stringOf(objectOf(device.keys)[`ed25519:${deviceId}`]),
    hasIdentity: objectOf(answer.master_keys)[userId] !== undefined,
    isSigned: signers.some((key) => key in signatures),
  };
}
