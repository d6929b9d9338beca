import { libsignal } from "./libsignal.ts";

/** A Signal session within the record of a device, as far as it is of account here. */
interface Session {
  readonly constructor: { deserialize(data: unknown): object };
  serialize(): unknown;
}

type Decrypt = (this: unknown, message: unknown, session: Session) => Promise<unknown>;

const KEPT_WHOLE = Symbol.for("hermes:sessions-kept-whole");

/**
 * libsignal tries a message with each session that there is with a device, and moves a session on before it knows
 * whether the message belongs to it. A session that it did not belong to was stored moved on as well, and nobody could
 * read what was sent by that afterwards: after a restart, say, while a message of the former session was still on its
 * way. Here a session that a message does not belong to stays as it was.
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
