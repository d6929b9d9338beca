import { type Logger, reasonOf } from "@hermes/core";
import { Method } from "matrix-js-sdk";
import type { MatrixApi } from "../api.ts";
import { toPlatformError } from "../errors.ts";
import type { BotStore } from "../store/bot-store.ts";
import { type Content, objectOf, stringOf } from "../wire.ts";
import type { Crypto } from "./crypto.ts";
import { sendRequest } from "./requests.ts";

/** What the server has of a device. */
export interface KnownDevice {
  readonly identityKey: string | undefined;
  /** Whether the account has an identity that could sign it, and whether that has. */
  readonly hasIdentity: boolean;
  readonly isSigned: boolean;
}

/** The device keys that the account publishes. */
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

export interface SignParts {
  readonly api: MatrixApi;
  readonly crypto: Crypto;
  readonly store: Pick<BotStore, "identity" | "saveIdentity">;
  readonly logger: Logger;
  readonly userId: string;
  readonly known: KnownDevice;
  readonly password: string | undefined;
}

/**
 * Gives an account that has none an identity, and signs the bot's device with it ("Cross-signing"): apps warn of devices
 * that are not signed, and some give them no keys. The identity outlives the device: where its session was ended, the
 * next one is signed by the same. An account with an identity made elsewhere is left alone.
 */
export async function signDevice(parts: SignParts): Promise<void> {
  const { api, crypto, logger, userId, known } = parts;
  const { machine } = crypto;
  try {
    if (known.hasIdentity && !(await hasIdentityKeys(parts))) return;
    const made = await machine.bootstrapCrossSigning(false);
    if (made.uploadKeysRequest) await sendRequest(api, machine, made.uploadKeysRequest);
    if (!known.hasIdentity) await publishIdentity(parts, JSON.parse(made.uploadSigningKeysRequest.body) as Content);
    await sendRequest(api, machine, made.uploadSignaturesRequest);
    await keepIdentity(parts);
    logger.info({ user: userId }, "the bot's session is signed by its account");
  } catch (error) {
    logger.warn({ reason: reasonOf(error) }, "the bot's session could not be signed; apps may warn of it");
  }
}

async function publishIdentity({ api, userId, password }: SignParts, keys: Content): Promise<void> {
  const path = "/keys/device_signing/upload";
  try {
    await api.request(Method.Post, path, { body: keys });
  } catch (error) {
    // Servers that want the password all the same answer 401 at first.
    if (password === undefined || toPlatformError(error).code !== "PLATFORM_UNAUTHORISED") throw error;
    const auth = { type: "m.login.password", identifier: { type: "m.id.user", user: userId }, password };
    await api.request(Method.Post, path, { body: { ...keys, auth } });
  }
}

/** The keys are with those of the device, or with what an earlier device has left. */
async function hasIdentityKeys({ crypto: { machine }, store }: SignParts): Promise<boolean> {
  if ((await machine.crossSigningStatus()).hasSelfSigning) return true;
  const { identity } = store;
  if (identity === null) return false;
  const { master, selfSigning, userSigning } = identity;
  return (await machine.importCrossSigningKeys(master, selfSigning, userSigning)).hasSelfSigning;
}

/** Keeps the keys of the account's identity beside those of the device, which are forgotten with it. */
export async function keepIdentity({ crypto, store }: Pick<SignParts, "crypto" | "store">): Promise<void> {
  const keys = await crypto.machine.exportCrossSigningKeys();
  const { masterKey: master, self_signing_key: selfSigning, userSigningKey: userSigning } = keys ?? {};
  if (!master || !selfSigning || !userSigning || store.identity?.master === master) return;
  store.saveIdentity({ master, selfSigning, userSigning });
}
