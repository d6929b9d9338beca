import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { Curve, generateSignalPubKey } from "@whiskeysockets/baileys";

const fromHere = createRequire(import.meta.url);

/** The copy of libsignal that Baileys uses, to patch it. Its types are incomplete. */
const libsignal = createRequire(fromHere.resolve("@whiskeysockets/baileys"))("libsignal") as Readonly<
  Record<string, unknown>
>;

/**
 * Makes Baileys reject invalid signatures. It expects libsignal to throw, but libsignal returns false, so that anybody
 * could pass the check of the server's certificate.
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

/** Whether libsignal is running. */
const isAtWork = new AsyncLocalStorage<boolean>();

/**
 * Keeps libsignal from printing whole sessions with their private keys. It looks up `console` on each use, and gets a
 * silent one while one of its methods runs; all other code gets the real one.
 */
export function silenceLibsignal(): void {
  if (SILENCED in globalThis) return;
  Object.defineProperty(globalThis, SILENCED, { value: true });
  let { console } = globalThis;
  const nothing = () => {};
  const silent: Console = Object.assign(Object.create(console) as Console, {
    log: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
  });
  Object.defineProperty(globalThis, "console", {
    configurable: true,
    get: () => (isAtWork.getStore() ? silent : console),
    set: (other: Console) => {
      console = other;
    },
  });
  for (const name of ["SessionBuilder", "SessionCipher", "SessionRecord"]) {
    const { prototype } = Object(libsignal[name]) as { readonly prototype?: object };
    for (const owner of [Object(libsignal[name]), Object(prototype)] as object[]) silenceMethodsOf(owner);
  }
}

const SILENCED = Symbol.for("hermes:libsignal-silenced");

function silenceMethodsOf(owner: object): void {
  for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    if (typeof value !== "function" || !writable || name === "constructor") continue;
    const silenced = function (this: unknown, ...given: unknown[]): unknown {
      return isAtWork.run(true, () => Reflect.apply(value, this, given));
    };
    Object.defineProperty(owner, name, { value: silenced });
  }
}

/** The fields used of a Signal session in a device's record. */
interface Session {
  readonly constructor: { deserialize(data: unknown): object };
  serialize(): unknown;
}

type Decrypt = (this: unknown, message: unknown, session: Session) => Promise<unknown>;

const KEPT_WHOLE = Symbol.for("hermes:sessions-kept-whole");

/**
 * Restores a session that could not decrypt a message. libsignal tries every session of a device, and advances each
 * before it knows whether the message belongs to it. Stored so, the session could not decrypt its later messages: after
 * a restart, say, while a message of the former session was still on its way.
 */
export function keepSessionsWhole(): void {
  const { prototype } = Object(libsignal.SessionCipher) as { readonly prototype: { doDecryptWhisperMessage: Decrypt } };
  const { doDecryptWhisperMessage: decrypt } = prototype;
  if (KEPT_WHOLE in decrypt) return;
  const decryptOrLeave: Decrypt = async function (message, session) {
    const before = session.serialize();
    try {
      return await decrypt.call(this, message, session);
    } catch (error) {
      Object.assign(session, session.constructor.deserialize(before));
      throw error;
    }
  };
  prototype.doDecryptWhisperMessage = Object.assign(decryptOrLeave, { [KEPT_WHOLE]: true });
}
