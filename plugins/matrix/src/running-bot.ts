import {
  type AdapterHealth,
  type Clock,
  type CommandInfo,
  type InboundMessage,
  type Logger,
  PlatformError,
  type Redactor,
} from "@hermes/core";
import type { MatrixApi } from "./api.ts";
import type { MatrixOptions } from "./config.ts";
import { isCuredByRestart, isTakenOver, toPlatformError } from "./errors.ts";
import { createDownload } from "./files.ts";
import { Guests } from "./guests.ts";
import { expectHome } from "./home.ts";
import { Intake } from "./intake.ts";
import { Invitations } from "./invitations.ts";
import { createNames } from "./names.ts";
import { Outbound } from "./outbound.ts";
import { Rooms } from "./rooms.ts";
import { canLogIn, logIn, openCrypto, openSession, type Session, type SessionCrypto } from "./session.ts";
import { BotStore } from "./store/bot-store.ts";
import { SyncLoop } from "./sync-loop.ts";
import { Unencrypted } from "./unencrypted.ts";
import { Waiting } from "./waiting.ts";

export interface BotParts {
  readonly options: MatrixOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly folder: string;
  readonly redact: Redactor;
  readonly commands: readonly CommandInfo[];
  readonly receive: (message: InboundMessage) => Promise<void>;
  /** Whether this process has the account. */
  readonly holdsAccount: () => Promise<boolean>;
  readonly onHealth: (health: AdapterHealth) => void;
  /** To be called where the bot has to be started anew to go on. */
  readonly startAgain: (reason: PlatformError) => void;
  /** To be called where the session has ended, and another one is to be had at once. */
  readonly openAgain: () => void;
  readonly signal: AbortSignal;
}

/** What is there between `start` and `stop`. */
export interface RunningBot {
  readonly api: MatrixApi;
  readonly userId: string;
  readonly account: string | undefined;
  readonly rooms: Rooms;
  readonly guests: Guests;
  readonly outbound: Outbound;
  /** Why encrypted rooms that the bot is in cannot be read; null where all can. */
  readonly unreadable: string | null;
  stop(): Promise<void>;
}

/** Signs in, and receives. Nothing is received before the server has said who the bot is. */
export async function startBot(parts: BotParts): Promise<RunningBot> {
  const undo: (() => void | Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return await assemble(parts, undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(
  parts: BotParts,
  undo: (() => void | Promise<void>)[],
  stop: () => Promise<void>,
): Promise<RunningBot> {
  const { options, clock, logger, folder, redact, commands, signal } = parts;
  const { receive, holdsAccount, onHealth, startAgain, openAgain } = parts;
  const store = new BotStore(folder, redact);
  undo.push(() => store.close());
  const signedIn = await signIn({ options, store, logger, signal });
  const { api, userId, crypto, problem } = signedIn;
  undo.push(async () => crypto?.close());

  const { account } = options;
  const rooms = new Rooms(api, store.rooms());
  const guests = new Guests(options, rooms);
  if (options.homeChannel) await expectHome({ api, rooms, guests }, options.homeChannel);
  const outbound = new Outbound({ api, rooms, crypto, cryptoProblem: problem, clock, userId });
  const waiting = crypto && new Waiting({ store, crypto, rooms, guests, outbound, clock, logger });
  undo.push(async () => waiting?.stop());

  const unencrypted = new Unencrypted({ rooms, guests, outbound, clock, logger });

  const stopping = new AbortController();
  const nameOf = createNames(api);
  const name = await nameOf(userId);
  const intake = new Intake({
    ...{ api, clock, logger, store, rooms, crypto, waiting, unencrypted, receive },
    invitations: new Invitations({ api, rooms, guests, logger, userId }),
    context: {
      ...{ account, commands, rooms, guests, nameOf },
      me: { userId, name },
      download: createDownload(api, logger),
      lookUp: async (roomId, eventId) => {
        try {
          return await api.event(roomId, eventId);
        } catch (error) {
          // From before the bot came, say.
          if (error instanceof PlatformError && error.code === "PLATFORM_FORBIDDEN") return null;
          throw error;
        }
      },
    },
    signal: stopping.signal,
  });
  const loop = new SyncLoop({
    ...{ api, clock, logger, onHealth },
    since: store.syncToken,
    take: (sync, since) => intake.take(sync, since),
    onFailure: (thrown) => {
      const again = () => startAgain(toPlatformError(thrown));
      if (isCuredByRestart(thrown)) again();
      // A process that slept may have lost the account and got it back without hearing of either.
      if (isTakenOver(thrown)) void holdsAccount().then((isOurs) => isOurs && again());
    },
  });
  let hasEnded = false;
  api.onTokenUnknown = () => {
    if (!canLogIn(options)) return false;
    if (!hasEnded && !stopping.signal.aborted) openAgain();
    hasEnded = true;
    return true;
  };
  undo.push(async () => {
    stopping.abort();
    api.stop();
    await loop.stop();
  });
  await loop.start();
  logger.info({ bot: userId, device: signedIn.deviceId }, "the bot receives messages");
  return {
    ...{ api, userId, account, rooms, guests, outbound, stop },
    get unreadable() {
      return problem !== null && rooms.hasEncrypted ? `Encrypted rooms are not read: ${problem}.` : null;
    },
  };
}

type SignedIn = Session & {
  readonly crypto: Extract<SessionCrypto, { crypto: object }>["crypto"] | null;
  readonly problem: string | null;
};

/** A session with its keys. A session that Hermes logged in itself and whose keys are lost is replaced by a new one. */
async function signIn(parts: Parameters<typeof openSession>[0]): Promise<SignedIn> {
  const { options, logger } = parts;
  const session = await openSession(parts);
  const found = await openCrypto(session, parts);
  if (found.crypto !== null) return { ...session, crypto: found.crypto, problem: null };
  if (canLogIn(options)) {
    const fresh = await logIn(parts);
    const again = await openCrypto(fresh, parts);
    if (again.crypto !== null) return { ...fresh, crypto: again.crypto, problem: null };
  }
  logger.warn({ problem: found.problem }, "there is no encryption");
  return { ...session, crypto: null, problem: found.problem };
}
