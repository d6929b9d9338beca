import { type Logger, PlatformError } from "@hermes/core";
import { MatrixApi } from "./api.ts";
import type { MatrixOptions } from "./config.ts";
import { Crypto } from "./crypto/crypto.ts";
import { keepIdentity, knownDevice, signDevice } from "./crypto/sign-device.ts";
import { unauthorised } from "./errors.ts";
import type { BotStore } from "./store/bot-store.ts";

export interface SessionParts {
  readonly options: MatrixOptions;
  readonly store: BotStore;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** A token that the server has accepted. */
interface Opened {
  readonly api: MatrixApi;
  readonly userId: string;
  /** Missing for tokens of application services: they have no device, and so no keys. */
  readonly deviceId: string | undefined;
}

/** A session of the bot's account, with its keys. */
export interface Session extends Opened {
  /** Null where there is no encryption: `cryptoProblem` says why. */
  readonly crypto: Crypto | null;
  readonly cryptoProblem: string | null;
}

/** Opens a session with its keys. One that Hermes logged in itself and whose keys are lost is replaced by a new one. */
export async function signIn(parts: SessionParts): Promise<Session> {
  const { options, logger } = parts;
  const opened = await openSession(parts);
  const found = await openCrypto(opened, parts);
  if (found.crypto !== null) return { ...opened, ...found };
  if (canLogIn(options)) {
    const fresh = await logIn(parts);
    const again = await openCrypto(fresh, parts);
    if (again.crypto !== null) return { ...fresh, ...again };
  }
  logger.warn({ problem: found.cryptoProblem }, "there is no encryption");
  return { ...opened, ...found };
}

/** Whether there is a password, by which another session is to be had when one has ended. */
export function canLogIn({ user, password }: MatrixOptions): boolean {
  return user !== undefined && password !== undefined;
}

/**
 * Opens the session of the config's token, or one that Hermes logs in and keeps; the latter also where the token is not
 * taken any more and there is a password. Throws PLATFORM_UNAUTHORISED.
 */
async function openSession(parts: SessionParts): Promise<Opened> {
  const { options, store, logger, signal } = parts;
  if (options.accessToken === undefined) return keptSession(parts);
  const api = new MatrixApi({ baseUrl: options.homeserverUrl, accessToken: options.accessToken }, logger);
  const me = await api.whoami(signal).catch((error: unknown) => {
    if (canLogIn(options) && error instanceof PlatformError && error.code === "PLATFORM_UNAUTHORISED") return null;
    throw error;
  });
  if (me === null) {
    logger.warn({}, "the access token of the config is not taken any more; the password is used");
    if (store.session !== null) return keptSession(parts);
    return logIn(parts, (await api.tokenState(signal)) === "expired" ? store.deviceId : undefined);
  }
  store.belongTo(me.user_id, me.device_id ?? "");
  return { api, userId: me.user_id, deviceId: me.device_id };
}

async function keptSession(parts: SessionParts): Promise<Opened> {
  const { options, store, logger, signal } = parts;
  const kept = store.session;
  if (kept === null || kept.user !== options.user) return logIn(parts);
  const { accessToken, userId, deviceId } = kept;
  const api = new MatrixApi({ baseUrl: options.homeserverUrl, accessToken }, logger);
  switch (await api.tokenState(signal)) {
    case "valid":
      return { api, userId, deviceId };
    case "expired":
      return logIn(parts, deviceId);
    case "ended":
      // Somebody has ended the session in the account's settings, and its device is gone.
      return logIn(parts);
  }
}

/** Logs in ("Login"): as a new device, or for another token of one whose keys are here. */
async function logIn({ options, store, logger, signal }: SessionParts, device?: string): Promise<Opened> {
  const { user = "", password = "", homeserverUrl: baseUrl, deviceName } = options;
  const body = {
    type: "m.login.password",
    identifier: { type: "m.id.user", user },
    password,
    initial_device_display_name: deviceName,
    ...(device === undefined ? {} : { device_id: device }),
  };
  const answer = await new MatrixApi({ baseUrl }, logger).logIn(body, signal).catch((error: unknown) => {
    // A wrong password is answered with 403.
    throw error instanceof PlatformError && error.code === "PLATFORM_FORBIDDEN" ? unauthorised() : error;
  });
  const { user_id: userId, device_id: deviceId, access_token: accessToken } = answer;
  store.belongTo(userId, deviceId);
  store.saveSession({ user, userId, deviceId, accessToken });
  return { api: new MatrixApi({ baseUrl, accessToken }, logger), userId, deviceId };
}

/**
 * Sets up encryption. There is none for a session without a device, nor for one whose keys are not here: its device is
 * known to everybody by keys that another program, or a folder that was lost, holds.
 */
async function openCrypto(
  { api, userId, deviceId }: Opened,
  parts: SessionParts,
): Promise<Pick<Session, "crypto" | "cryptoProblem">> {
  const { store, logger, options } = parts;
  if (deviceId === undefined) return { crypto: null, cryptoProblem: "the access token belongs to no device" };
  const known = await knownDevice(api, userId, deviceId);
  const open = () => Crypto.open({ api, logger, records: store.crypto, userId, deviceId });
  let crypto = await open();
  if (known.identityKey === undefined && (await crypto.hasPublished())) {
    // The library publishes its keys once: a server that has lost them, or was set up anew, would never get them.
    logger.warn({ device: deviceId }, "the server has lost the bot's keys; it gets others");
    await crypto.close();
    store.crypto.clear();
    crypto = await open();
  }
  if (known.identityKey !== undefined && known.identityKey !== crypto.identityKey) {
    await crypto.close();
    return { crypto: null, cryptoProblem: KEYS_ELSEWHERE };
  }
  try {
    await crypto.sendOutgoing();
    if (known.isSigned) await keepIdentity({ crypto, store });
    else await signDevice({ api, crypto, store, logger, userId, known, password: options.password });
    return { crypto, cryptoProblem: null };
  } catch (error) {
    await crypto.close();
    if (!(error instanceof PlatformError && error.code === "PLATFORM_REJECTED")) throw error;
    return { crypto: null, cryptoProblem: `the server does not take its keys (${error.fields.reason}); log in anew` };
  }
}

const KEYS_ELSEWHERE =
  "the keys of the access token's session are not here: another program uses it too, or Hermes' folder was lost; log in anew for a token of its own";
