import type {
  Capabilities,
  ChatKind,
  HomeChannel,
  PlatformErrorCode,
  PluginDescriptor,
  PluginSetup,
} from "@hermes/core";
import type { EmulatedInbound, Emulator } from "@hermes/emulator";
import type { AdapterProof } from "./proof.ts";

/** What an adapter is able to do where it has the member. */
export const ABILITIES = ["typing", "findThread", "findSent", "deleteThread", "choices"] as const;

export type Ability = (typeof ABILITIES)[number];

/** An adapter, and everything that the kit has to know about its platform to prove it. */
export interface AdapterUnderTest<E extends Emulator = Emulator> {
  /** The platform. */
  readonly name: string;
  /**
   * A new, empty platform. `home` is Hermes' home (`HERMES_HOME`) of the gateways that will speak to it, and `account`
   * the name of their account: for a platform that keeps its data there.
   */
  createEmulator(at: KitAccount): Promise<E>;
  /** The plugin as it stands in a config: `acme({ ...emulator.options, ...options })`. */
  descriptor(emulator: E, options: KitOptions): PluginDescriptor;
  /** One home channel for each kind of chat that can be one. */
  homes(emulator: E): readonly KitHome[];
  /** Who may talk to the agent in groups; everybody when it is left out. */
  allowedUsers?(emulator: E): readonly string[];
  /** The id of somebody who is not allowed, and of another bot, where the emulator needs such ids. */
  readonly stranger?: string;
  readonly otherBot?: string;
  /** What the adapter is meant to claim and to be able to do, as its README says. */
  readonly capabilities?: Partial<Capabilities & Readonly<Record<Ability, boolean>>>;
  /**
   * Options with credentials that the emulator does not accept. When it is left out, the end of every secret in
   * `emulator.options` is changed.
   */
  wrongToken?(emulator: E): Readonly<Record<string, unknown>>;
  /** Refusals of the platform by its own codes, and what the adapter makes of each. */
  readonly refusals?: readonly KitRefusal[];
  /** Settings and rights without which no thread can be opened. */
  readonly threadSwitches?: readonly ThreadSwitch<E>[];
  /**
   * Makes the platform refuse the place in its events from which a client goes on; for platforms that hand out such
   * places (`since`, a cursor, a session to resume).
   */
  refusePlace?(emulator: E): void | Promise<void>;
  /** What its set-up asks for and checks; for a plugin whose manifest names one. */
  readonly setup?: KitSetup<E>;
  /** How what a client is signed in by can end while its options hold what another one is made of. */
  readonly renewals?: readonly KitRenewal<E>[];
  /**
   * Lets another process use the account, so that the client has to connect again; needed where a connection ends another
   * one's, or uses keys that only one process may use. Returns what counts how often the client has connected since.
   */
  takeOver?(emulator: E, at: KitAccount): (() => number) | Promise<() => number>;
  /** Lets the platform take the next message and refuse it afterwards; needed where `lateRefusal` is claimed. */
  refuseLate?(emulator: E): void | Promise<void>;
  /**
   * Gives the chat of a home channel another id, in which messages are numbered anew, and returns that; needed where a
   * platform does so. Null for a chat that keeps its id.
   */
  renumber?(emulator: E, chatId: string): string | null;
  /**
   * Where the platform knows people by an id that may pass to somebody else, such as a number: lets that of the person in
   * the first private home channel pass to another. Returns the id of that person which stays, and who has the other now.
   */
  passOn?(emulator: E): { readonly stays: string; readonly other: Partial<EmulatedInbound> & KitPlace };
  /** Proofs that do not apply to the platform, by their id, with the reason: reported as "not claimed". */
  readonly notClaimed?: Readonly<Record<string, string>>;
  /** Proofs of what only this platform has. */
  readonly extras?: readonly AdapterProof[];
  /** How long a thing may take to come about, in milliseconds; 15 s by itself. */
  readonly patienceMs?: number;
}

export interface KitSetup<E extends Emulator = Emulator> {
  /** What the module exports that the manifest names. */
  readonly setup: PluginSetup;
  /** What a check has to leave as it is, beside what people see: commands, sessions, settings. */
  state?(emulator: E): unknown;
}

/** The options that the kit wants set. */
export interface KitOptions {
  readonly homeChannel?: HomeChannel;
  readonly allowedUsers?: readonly string[];
  readonly account?: string;
  readonly [option: string]: unknown;
}

/** Which account a gateway of the kit serves, and Hermes' home (`HERMES_HOME`) in which the adapter keeps its files. */
export interface KitAccount {
  readonly home: string;
  readonly account?: string | undefined;
}

export interface KitHome {
  /** What kind of chat it is, for the report: `direct message`, `forum`, `channel` … */
  readonly name: string;
  readonly home: HomeChannel;
  readonly kind: ChatKind;
  /** Whether a handoff opens a thread there. */
  readonly threads: boolean;
  /** False where messages stand in threads alone, as in a forum. */
  readonly canHoldMessages?: boolean;
  /** True of a thread that, by the platform's own word, not everybody in its chat reads. */
  readonly isPrivate?: boolean;
  /** The chat (and thread) on the emulator, where it is not `home.chatId` (and `home.threadId`). */
  readonly place?: KitPlace;
}

/** A chat or thread on the emulator. */
export interface KitPlace {
  readonly chatId: string;
  readonly threadId?: string;
}

export interface KitRefusal {
  readonly operation: "send" | "edit" | "createThread" | "home";
  /** The platform's own code, as the emulator takes it. */
  readonly code: string;
  readonly becomes: PlatformErrorCode;
}

export interface KitRenewal<E extends Emulator = Emulator> {
  /** What a person would call it: `the token has expired, and there is a password`. */
  readonly name: string;
  /** The options that hold both. */
  options(emulator: E): Readonly<Record<string, unknown>>;
  /** Ends what the client is signed in by now. */
  end(emulator: E): void | Promise<void>;
}

export interface ThreadSwitch<E extends Emulator = Emulator> {
  /** What a person would call it: `topics are off`. */
  readonly name: string;
  turnOff(emulator: E): void | Promise<void>;
  /** What `createHandoffThread` does then: returns null, or throws with this code. */
  readonly gives: "null" | PlatformErrorCode;
}
