import type { PluginDeps } from "@hermes/core";
import type { MatrixApi } from "./api.ts";
import type { MatrixOptions } from "./config.ts";
import type { Crypto } from "./crypto/crypto.ts";
import { Guests } from "./guests.ts";
import { expectHome } from "./home.ts";
import { Outbound } from "./outbound.ts";
import { Rooms } from "./rooms.ts";
import { type Session, signIn } from "./session.ts";
import { BotStore } from "./store/bot-store.ts";
import { Waiting } from "./waiting.ts";

/** A session that is signed in, with what is known of the account's rooms. */
export interface SignedIn extends PluginDeps<MatrixOptions>, Session {
  readonly store: BotStore;
  readonly rooms: Rooms;
  readonly guests: Guests;
}

/** The bot, in one of its sessions. */
export interface Bot extends SignedIn {
  /** What the bot calls itself. */
  readonly name: string | undefined;
  readonly outbound: Outbound;
  /** Bytes of the largest file that the server stores; null where it does not say. */
  readonly largestUpload: number | null;
  /** Messages whose keys have not come yet; null where there is no encryption. */
  readonly waiting: Waiting | null;
  readonly nameOf: (userId: string) => Promise<string | undefined>;
  /** Ends everything that the bot does by itself, and closes its files. */
  stop(): Promise<void>;
}

/** Signs in. Nothing is received before the server has said who the bot is. */
export async function openBot(deps: PluginDeps<MatrixOptions>, signal: AbortSignal): Promise<Bot> {
  const { options, folder, redact, noteSecret } = deps;
  const store = new BotStore(folder, redact, noteSecret);
  let crypto: Crypto | null = null;
  let waiting: Waiting | null = null;
  const stop = async () => {
    await waiting?.stop();
    await crypto?.close();
    store.close();
  };
  try {
    const session = await signIn({ ...deps, store, signal });
    crypto = session.crypto;
    const rooms = new Rooms(session.api, store.rooms(), deps.clock);
    const signedIn = { ...deps, ...session, store, rooms, guests: new Guests(options, rooms, deps.identities) };
    if (options.homeChannel) await expectHome(signedIn, options.homeChannel);
    const outbound = new Outbound(signedIn);
    waiting = crypto && new Waiting({ ...signedIn, crypto, outbound });
    const nameOf = createNames(session.api);
    const [name, largestUpload] = await Promise.all([nameOf(session.userId), session.api.largestUpload(signal)]);
    return { ...signedIn, name, largestUpload, outbound, waiting, nameOf, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What people call themselves; undefined where they do not, or the server does not say. Asked once for each. */
function createNames(api: MatrixApi): Bot["nameOf"] {
  const asked = new Map<string, Promise<string | undefined>>();
  return (userId) => {
    const known = asked.get(userId);
    if (known) return known;
    const name = api.displayName(userId).catch(() => {
      // The next message is worth another question.
      asked.delete(userId);
      return undefined;
    });
    asked.set(userId, name);
    return name;
  };
}
