import type { OutboundFile } from "../adapter/message.ts";
import type { Clock } from "../base/clock.ts";
import type { FileRef } from "../base/file-ref.ts";
import type { Holder } from "../base/process-identity.ts";
import type { Decider } from "../model/approval.ts";
import type { CodeSender } from "../model/code.ts";
import type { Compaction } from "../model/compaction.ts";
import type { JobList } from "../model/job.ts";
import type { Limits } from "../model/limit.ts";
import type { ModelChoice } from "../model/model-choice.ts";
import type { Session, SessionMode, Surface, UserId, Visibility } from "../model/session.ts";
import type { DecideApproval } from "../model/turn.ts";
import type { WrittenFiles } from "../model/written-file.ts";
import type { Store } from "../store/store.ts";

/** A slash command, for the terminal and the platforms. */
export interface Command {
  readonly name: string;
  readonly description: string;
  /** What it does in the terminal, where that is something else. */
  readonly inTerminal?: string;
  readonly category: "Session" | "Info" | "Setup";
  readonly aliases: readonly string[];
  /** Describes the argument, such as `[title|number]`; empty where none is taken: then one that is written is refused. */
  readonly argumentHint: string;
  readonly cliOnly?: boolean;
  readonly gatewayOnly?: boolean;
  /** Whether a platform has it in private chats only, since nobody else is to read its reply. */
  readonly privateOnly?: boolean;
  readonly operatorsOnly?: boolean;
  /** Whether it is there for guests too, who have a pass for one conversation. */
  readonly forGuests?: boolean;
  /** Whether it runs at once instead of queueing behind the messages that wait. */
  readonly immediate?: boolean;
  /** Whether it runs whatever is written behind it, since a refusal would cost more than a word that is not heeded. */
  readonly runsAnyway?: boolean;
  /** Whether nothing that it replies names or shows a session, so that others may read it in a private chat. */
  readonly tellsNoSession?: boolean;
  /** Runs the command. Missing for `/quit`, which the terminal implements itself. */
  run?(place: CommandContext, argument: string): Promise<CommandResult>;
}

/** The place where a command was written, and what it can do. The gateway and the terminal implement it. */
export interface CommandContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly surface: Surface;
  readonly user: UserId;
  readonly isOperator: boolean;
  readonly isGuest: boolean;
  readonly visible: Visibility;
  /** The process of a terminal, which shows the session itself. */
  readonly here?: Holder["id"];
  /** Who writes there, as the one who decides about a question. */
  readonly decider: Decider;
  /** Who writes, in a private chat of a platform: what they read there, nobody else does. */
  readonly sender?: CodeSender;
  /** How people type a command such as `resume 2` there: `/resume 2` in the terminal. */
  typed(command: string): string;
  /** Identifies this run of the command, so that a retry after a crash has no effect twice. */
  readonly requestId?: string | undefined;
  /** The message that is the command, as it was read. Missing where it cannot be edited before it is carried out. */
  readonly message?: Required<Pick<DecideApproval, "inboxId" | "digest">>;
  /** The place's current session; null before the first message. */
  session(): Promise<Session | null>;
  /** Makes `session` the place's current session. Throws HANDOFF_IN_FLIGHT. */
  switchTo(session: Session): Promise<void>;
  /** Makes a new, empty session the place's current one. */
  startSession(): Promise<Session>;
  /** Leaves the current session: the next message begins a new one. If missing, `startSession` is used instead. */
  leaveSession?(): Promise<void>;
  /** Describes the writer in lines of text: ids, role, session key. */
  whoami(): Promise<string>;
  /** Makes this thread, or its chat, the home channel; throws if that is not possible. Missing in the terminal. */
  setHome?(options: { readonly wholeChat: boolean }): Promise<string>;
  /** Hands off the place's session; `where` is what was typed. Missing where nobody can write it. */
  handOff?(where: string, options?: { readonly stays?: boolean }): Promise<CommandResult>;
  /** The models that a session can be given. Missing where there is no choice. */
  readonly models?: ModelChoice;
  /** The model of a session: `<provider>/<model>`. Missing where it is not known. */
  modelOf?(session: Session): string;
  /** The tokens that a model reads; null where that is not known. */
  windowOf?(model: string): number | null;
  /** What may be used at most. Missing where it is not known. */
  readonly limits?: Limits;
  /** Links an account to a person, by a code of theirs; null to make a code for it. Only in the terminal. */
  link?(code: string | null): Promise<string>;
  /** Has the beginning of a session summed up for its model; `focus`: what matters. Missing where nobody can ask for it. */
  compact?(session: Session, focus: string | null): Promise<Compaction>;
  /** The commands that run in the background in this process. */
  readonly jobs?: JobList;
  /** What tools wrote to files of this machine. */
  readonly files?: WrittenFiles;
  /** Asks the person, who sees `lines` first: default no. Missing where nobody can be asked at once. */
  confirm?(lines: readonly string[], question: string): Promise<boolean>;
  /** Lets the person choose from a list with keys: the index of what was chosen, null for none. Missing elsewhere. */
  choose?(
    question: string,
    items: readonly { readonly name: string; readonly facts: string; readonly number?: number }[],
  ): Promise<number | null>;
  /** Copies a text to the person's clipboard. Returns by what; empty where there is no way. */
  copy?(text: string): Promise<readonly string[]>;
  /** Shows what differs in the folder of a session, and returns what is said of it. */
  showDiff?(session: Session): Promise<string>;
  /**
   * Writes a session into a new file: `file`, or one of the current folder. Returns what is said of it. Missing in a
   * chat.
   */
  exportHere?(session: Session, file: string | null): Promise<string>;
  /** The mode in which the next message begins a session. Missing where `startSession` is used instead. */
  nextMode?: SessionMode;
  /** The rules by which the calls of a session are judged. Missing where they are not known. */
  rulesOf?(session: Session): Promise<readonly RuleInForce[]>;
}

/** A permission rule, and where it stands. */
export interface RuleInForce {
  readonly kind: "deny" | "ask" | "allow";
  readonly rule: string;
  /** The file that has it; null for a config that has none. */
  readonly from: string | null;
}

export interface CommandResult {
  /** Markdown. */
  readonly reply: string;
  /** The reply holds a code: it is not kept once it was sent. */
  readonly isSecret?: boolean;
  /** Files to send with the reply. */
  readonly files?: readonly OutboundFile[];
  /** A message of the sender to run as a turn. */
  readonly submit?: string;
  /** The files of the message that `submit` is, if it is an earlier one. */
  readonly submitFiles?: readonly FileRef[];
  /** Whether `submit` is an earlier message of the transcript, with its marks, to run again. */
  readonly isAgain?: boolean;
}
