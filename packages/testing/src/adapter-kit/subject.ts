import type {
  Capabilities,
  ChatKind,
  HomeChannel,
  PlatformErrorCode,
  PluginDescriptor,
  PluginSetup,
} from "@hermes/core";
import type { EmulatedInbound, Emulator } from "@hermes/emulator";
import type { KitJudge } from "./judge.ts";
import type { AdapterProof } from "./proof.ts";

/** The optional members of an adapter, which it may implement. */
export const ABILITIES = [
  ...(["typing", "findThread", "findSent", "deleteThread", "deleteMessage", "choices", "showCalls"] as const),
];

export type Ability = (typeof ABILITIES)[number];

/**
 * The files of an author's package, for the sentences that say what to write, and where; `src/outbound.ts` rather than
 * "`send`".
 */
export interface AuthorsFiles {
  /** The class of the adapter. */
  readonly adapter?: string;
  /** What renders messages. */
  readonly render?: string;
  /** What sends and edits them. */
  readonly send?: string;
  /** What makes a message of Hermes of one of the platform. */
  readonly decode?: string;
  /** How messages come in. */
  readonly receive?: string;
  /** The class of the emulator. */
  readonly emulator?: string;
  /** The conformance subject. */
  readonly subject?: string;
}

/** An adapter, and everything that the kit needs to know about its platform. */
export interface AdapterUnderTest<E extends Emulator = Emulator> {
  /** The name of the platform. */
  readonly name: string;
  /**
   * Creates a new, empty platform. `home` is the Hermes home (`HERMES_HOME`) of the gateways that will use it, and
   * `account` the name of their account, for a platform that keeps its data there.
   */
  createEmulator(at: KitAccount): Promise<E>;
  /** The plugin as in a config: `acme({ ...emulator.options, ...options })`. */
  descriptor(emulator: E, options: KitOptions): PluginDescriptor;
  /** One home channel for each kind of chat that can be one. */
  homes(emulator: E): readonly KitHome[];
  /** Who may talk to the agent in groups; by default, everybody. */
  allowedUsers?(emulator: E): readonly string[];
  /** The ids of somebody who is not allowed, and of another bot, if the emulator needs such ids. */
  readonly stranger?: string;
  readonly otherBot?: string;
  /** The capabilities and abilities that the adapter must have, as its README says. */
  readonly capabilities?: Partial<Capabilities & Readonly<Record<Ability, boolean>>>;
  /**
   * Options with credentials that the emulator does not accept. By default, the end of every secret in
   * `emulator.options` is changed.
   */
  wrongToken?(emulator: E): Readonly<Record<string, unknown>>;
  /** Refusals of the platform by its own codes, and the error that the adapter must make of each. */
  readonly refusals?: readonly KitRefusal[];
  /** Settings and rights without which no thread can be opened. */
  readonly threadSwitches?: readonly ThreadSwitch<E>[];
  /**
   * Makes the platform refuse the cursor from which a client continues its events; for platforms that hand out such
   * cursors (`since`, a session to resume).
   */
  refusePlace?(emulator: E): void | Promise<void>;
  /** The plugin's set-up, if its manifest names one. */
  readonly setup?: KitSetup<E>;
  /** Ways in which a client's sign-in can end while its options still allow a new one. */
  readonly renewals?: readonly KitRenewal<E>[];
  /**
   * Makes another process use the account, so that the client has to reconnect; needed if a connection ends another
   * one, or uses keys that only one process may use. Returns a counter of the client's connections since then.
   */
  takeOver?(emulator: E, at: KitAccount): (() => number) | Promise<() => number>;
  /** Makes the platform accept the next message and refuse it afterwards; needed with the capability `lateRefusal`. */
  refuseLate?(emulator: E): void | Promise<void>;
  /**
   * Gives the chat of a home channel another id, with its messages renumbered, and returns it; needed if the platform
   * does so. Null for a chat that keeps its id.
   */
  renumber?(emulator: E, chatId: string): string | null;
  /**
   * Gives a thread another name, or moves it to another chat, with its messages, and returns where it is now; needed if
   * the platform lets people do that and the thread has another id then.
   */
  moveThread?(emulator: E, thread: KitPlace): KitPlace | Promise<KitPlace>;
  /**
   * For a platform with ids that may pass to somebody else, such as numbers: passes that of the person in the first
   * private home channel to somebody else. Returns the person's id that stays, and the other's new owner.
   */
  passOn?(emulator: E): { readonly stays: string; readonly other: Partial<EmulatedInbound> & KitPlace };
  /**
   * Shows read receipts to the kit: the options that switch `markRead` on, and the ids of the messages that the platform
   * was told are read. Needed with `markRead`.
   */
  readonly readReceipts?: {
    readonly options: Readonly<Record<string, unknown>>;
    marked(emulator: E): readonly string[];
  };
  /** Lets the bot delete what people write in a private chat; needed with `deleteMessage` where that takes a right. */
  permitDeletion?(emulator: E, chatId: string): void | Promise<void>;
  /** Where the parts of the package are; by default the sentences that say what to write name no file. */
  readonly files?: AuthorsFiles;
  /** Proofs that do not apply to the platform, by their id, with the reason: reported as "not claimed". */
  readonly notClaimed?: Readonly<Record<string, string>>;
  /** Second judges of the emulator: recorded answers of the platform, or another client library. */
  readonly judges?: readonly KitJudge<E>[];
  /** Further proofs, for features that only this platform has. */
  readonly extras?: readonly AdapterProof[];
  /** Milliseconds that anything may take to happen; 30 s by default. */
  readonly patienceMs?: number;
}

/** A plugin's set-up, and what its check must leave as it is. */
export interface KitSetup<E extends Emulator = Emulator> {
  /** The export of the module that the manifest names. */
  readonly setup: PluginSetup;
  /** State that a check must not change, besides what people see: commands, sessions, settings. */
  state?(emulator: E): unknown;
}

/** The options that the kit sets. */
export interface KitOptions {
  readonly homeChannel?: HomeChannel;
  readonly allowedUsers?: readonly string[];
  readonly account?: string;
  readonly [option: string]: unknown;
}

/** The account that a gateway of the kit serves, and the Hermes home (`HERMES_HOME`) where the adapter keeps files. */
export interface KitAccount {
  readonly home: string;
  readonly account?: string | undefined;
}

/** A home channel of the emulated platform, and what is true of it. */
export interface KitHome {
  /** The kind of chat, for the report: `direct message`, `forum`, `channel` … */
  readonly name: string;
  readonly home: HomeChannel;
  readonly kind: ChatKind;
  /** Whether a handoff opens a thread there. */
  readonly threads: boolean;
  /** False if messages can only be in threads, as in a forum. */
  readonly canHoldMessages?: boolean;
  /** True for a thread that, as the platform itself reports, not everybody in its chat can read. */
  readonly isPrivate?: boolean;
  /** The chat (and thread) on the emulator, if it differs from `home.chatId` (and `home.threadId`). */
  readonly place?: KitPlace;
}

/** A chat or thread on the emulator. */
export interface KitPlace {
  readonly chatId: string;
  readonly threadId?: string;
}

/** A refusal of the platform, and the error that the adapter has to make of it. */
export interface KitRefusal {
  readonly operation: "send" | "edit" | "createThread" | "home";
  /** The platform's own code, as `EmulatorFailure` takes it. */
  readonly code: string;
  readonly becomes: PlatformErrorCode;
}

/** A way in which a sign-in ends although the options allow a new one. */
export interface KitRenewal<E extends Emulator = Emulator> {
  /** A name for people: `the token has expired, and there is a password`. */
  readonly name: string;
  /** The options with the current sign-in and the means for a new one. */
  options(emulator: E): Readonly<Record<string, unknown>>;
  /** Ends the client's current sign-in. */
  end(emulator: E): void | Promise<void>;
}

/** A setting or right without which no thread can be opened. */
export interface ThreadSwitch<E extends Emulator = Emulator> {
  /** A name for people: `topics are off`. */
  readonly name: string;
  turnOff(emulator: E): void | Promise<void>;
  /** What `createHandoffThread` must do then: return null, or throw this code. */
  readonly gives: "null" | PlatformErrorCode;
}
