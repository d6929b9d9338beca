import type { EmulatorFailure } from "@hermes/emulator";
import type { HermesMachine } from "../../e2e/support/hermes-process.ts";
import type { PlatformName } from "../plan/acts.ts";

/** Where somebody writes. */
export interface SoakSpot {
  readonly chatId: string;
  readonly threadId?: string;
  /** In a group: the message is meant for the bot. */
  readonly mentions?: boolean;
}

/** A message as people see it now. */
export interface ShownMessage {
  /** The chat and the thread, as one word. */
  readonly place: string;
  readonly id: string;
  readonly isBot: boolean;
  readonly text: string;
}

/** Something that a platform may do to its client. */
export interface Trouble {
  readonly name: string;
  /** The thread is removed with all that stands in it: the platform holds none of it any more. */
  readonly removes?: boolean;
  /** Returns what puts it right again, where that does not happen by itself. */
  play(place: SoakSpot): (() => void) | undefined;
}

/** One platform of the run, with its people; it outlives every gateway. */
export interface SoakPlatform extends AsyncDisposable {
  readonly name: PlatformName;
  /** As the config has it. */
  readonly plugin: readonly [name: string, options: Readonly<Record<string, unknown>>];
  /**
   * Whether a message of unknown fate can be looked up there, or repeated under the same key: then none may be called
   * uncertain.
   */
  readonly knowsFate: boolean;
  /** How a person begins a new session. */
  readonly renewal: string;
  /** The places where people write now. */
  places(): readonly SoakSpot[];
  /** People go on in a thread that a handoff has opened. */
  follow(place: SoakSpot): void;
  /**
   * Lets a person write, one whom nobody knows where `byNewcomer` is set and the place has room for others. Resolves with
   * the message's id when the platform has it, which may take as long as it does.
   */
  write(place: SoakSpot, text: string, byNewcomer?: boolean): Promise<string>;
  /** All that stands at any place, in order. */
  shown(): Promise<readonly ShownMessage[]>;
  readonly troubles: readonly Trouble[];
  /** So much time passes that the platform repeats no event, and offers its history at best: from now on, until `heal`. */
  forget(): void;
  /** Everything is as it should be again. */
  heal(): void;
  /** What has to be done before the first gateway. */
  prepare?(machine: HermesMachine): Promise<void>;
  /** What has to be done when a gateway is there. */
  begin?(machine: HermesMachine): Promise<void>;
}

/** A failure of the next call or event, as a trouble. */
export type Scripted = EmulatorFailure & { readonly name?: string };
