import type { TextFile } from "../adapter/message.ts";
import type { Clock } from "../base/clock.ts";
import type { Session, Surface, UserId, Visibility } from "../model/session.ts";
import type { Store } from "../store/store.ts";

/** A slash command: what it is, and what it does at whatever place it is written. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly category: "Session" | "Info" | "Setup";
  readonly aliases: readonly string[];
  /** Such as `[title|number]`; empty without an argument. */
  readonly argumentHint: string;
  readonly cliOnly?: boolean;
  readonly gatewayOnly?: boolean;
  readonly operatorsOnly?: boolean;
  /** Runs at once rather than in its turn behind the messages that wait. */
  readonly immediate?: boolean;
  /** Left out for what only the terminal can do (`/quit`): the terminal brings that itself. */
  run?(place: CommandPlace, argument: string): Promise<CommandResult>;
}

/** Where a command was written, and what that place can do. The gateway and the terminal each have one. */
export interface CommandPlace {
  readonly store: Store;
  readonly clock: Clock;
  readonly surface: Surface;
  readonly user: UserId;
  readonly isOperator: boolean;
  readonly visible: Visibility;
  /** How a command, such as `resume 2`, is typed there: `/resume 2` in the terminal. */
  typed(command: string): string;
  /** Names this run of the command, so that one which a crash cut off does not take effect twice. */
  readonly requestId?: string | undefined;
  /** The session that the place leads to; null before the first message. */
  session(): Promise<Session | null>;
  /** Lets the place lead to `session` from now on. Throws HANDOFF_IN_FLIGHT. */
  switchTo(session: Session): Promise<void>;
  /** Lets the place lead to a new, empty session. */
  startSession(): Promise<Session>;
  /** Lets the place lead to no session: the next message begins one. Missing where `startSession` does that work. */
  leaveSession?(): Promise<void>;
  /** Lines about who the writer is here: ids, role, session key. */
  whoami(): Promise<string>;
  /** Makes this thread, or its chat, the home channel; throws when it cannot be. Missing in the terminal. */
  setHome?(options: { readonly wholeChat: boolean }): Promise<string>;
  /** Hands the place's session off. Missing where a session is not to be pushed from: on a platform, unless the config opens it. */
  handOff?(platform: string): Promise<CommandResult>;
  /** What answers in a session: `<provider>/<model>`. Missing where it is not known. */
  modelOf?(session: Session): string;
}

export interface CommandResult {
  /** Markdown. */
  readonly reply: string;
  /** Sent along with the reply. */
  readonly files?: readonly TextFile[];
  /** Words of the sender to run as a turn. */
  readonly submit?: string;
  /** True if `submit` is a message of the transcript, with its marks, to run once more. */
  readonly isAgain?: boolean;
}
