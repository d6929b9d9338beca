import { type Logger, reasonOf } from "@hermes/core";
import { Method } from "matrix-js-sdk";
import type { MatrixApi } from "../api.ts";
import { type Content, objectOf } from "../wire.ts";
import type { Crypto } from "./crypto.ts";
import { sendRequest } from "./requests.ts";

/** What the server has of a device: its signing key, and whether the account has an identity that could sign it. */
export interface KnownDevice {
  readonly identityKey: string | undefined;
  readonly hasIdentity: boolean;
}

/** What everybody is told about a device of the account. */
export async function knownDevice(api: MatrixApi, userId: string, deviceId: string): Promise<KnownDevice> {
  const body = { device_keys: { [userId]: [] } };
  const answer = await api.request<Content>(Method.Post, "/keys/query", { body });
  const device = objectOf(objectOf(objectOf(answer.device_keys)[userId])[deviceId]);
  const key = objectOf(device.keys)[`ed25519:${deviceId}`];
  return {
    identityKey: typeof key === "string" ? key : undefined,
    hasIdentity: objectOf(answer.master_keys)[userId] !== undefined,
  };
}

export interface SignParts {
  readonly api: MatrixApi;
  readonly crypto: Crypto;
  readonly logger: Logger;
  readonly userId: string;
  readonly password: string | undefined;
}

/**
 * Gives an account that has none an identity, and signs the bot's device with it ("Cross-signing"): apps warn of devices
 * that are not signed, and some give them no keys. An account with an identity made elsewhere is left alone.
 */
export async function signDevice({ api, crypto, logger, userId, password }: SignParts): Promise<void> {
  try {
    const { uploadKeysRequest, uploadSigningKeysRequest, uploadSignaturesRequest } =
      await crypto.machine.bootstrapCrossSigning(false);
    if (uploadKeysRequest) await sendRequest(api, crypto.machine, uploadKeysRequest);
    const keys = JSON.parse(uploadSigningKeysRequest.body) as Content;
    const auth = { type: "m.login.password", identifier: { type: "m.id.user", user: userId }, password };
    const path = "/keys/device_signing/upload";
    await api.request(Method.Post, path, { body: keys }).catch((error: unknown) => {
      // Servers that want the password all the same answer 401 at first.
      if (password === undefined) throw error;
      return api.request(Method.Post, path, { body: { ...keys, auth } });
    });
    await sendRequest(api, crypto.machine, uploadSignaturesRequest);
    logger.info({ user: userId }, "the bot's session is signed by its account");
  } catch (error) {
    logger.warn({ reason: reasonOf(error) }, "the bot's session could not be signed; apps may warn of it");
  }
}
