import { type Token, token } from "../../base/tokens.ts";
import type { CommandContext } from "../../command/command.ts";
import type { SessionId, SessionMode } from "../../model/session.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import type { CliContext, TerminalHost } from "../context.ts";

/** What a chat begins with. What works in it is made in a container of its own, a child of the process's. */
export interface ChatOptions {
  /** The session to go on with; null: the first message begins one. */
  readonly sessionId: SessionId | null;
  /** The mode in which a session begins, or goes on. */
  readonly mode?: SessionMode | undefined;
  /** The model that a session begins with. */
  readonly model?: string | undefined;
  /** What has to be asked where nobody sits waits for an answer from elsewhere, instead of being denied. */
  readonly waits?: boolean;
}

export const CHAT: Token<ChatOptions> = token("chat");
/** The command that opened the chat. */
export const CONTEXT: Token<CliContext> = token("cli-context");
export const OUTPUT: Token<Output> = token("output");
export const HOST: Token<TerminalHost> = token("terminal-host");
/** The folder in which a session begins. */
export const FOLDER: Token<string> = token("working-directory");
/** Where the person writes. */
export const READER: Token<LineReader> = token("line-reader");
/** The chat as a place for commands. */
export const PLACE: Token<CommandContext> = token("chat-place");
