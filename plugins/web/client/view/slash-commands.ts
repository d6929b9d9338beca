export interface SlashCommand {
  readonly name: string;
  readonly what: string;
}

/** Offered while one is typed. They are plain messages: what they do, Hermes decides. */
const COMMANDS: readonly SlashCommand[] = [
  { name: "/help", what: "what can be done here" },
  { name: "/new", what: "begin a new session here" },
  { name: "/resume", what: "go on with an earlier session" },
  { name: "/continue", what: "go on with what is offered here" },
  { name: "/handoff", what: "take this session to another place" },
  { name: "/pass", what: "make a code that gives this session at another place" },
  { name: "/sessions", what: "list the sessions" },
  { name: "/title", what: "name this session" },
  { name: "/status", what: "how things stand" },
  { name: "/approve", what: "allow what the agent asks" },
  { name: "/deny", what: "say no to what the agent asks" },
  { name: "/mode", what: "how much the agent asks" },
  { name: "/model", what: "the model of this session" },
  { name: "/permissions", what: "what it may do without asking" },
  { name: "/now", what: "say something to the answer that is being written" },
  { name: "/stop", what: "stop the answer that is being written" },
  { name: "/retry", what: "ask the last question again" },
  { name: "/undo", what: "take back the last exchange" },
  { name: "/rewind", what: "take the session back to before one of your messages" },
  { name: "/fork", what: "go on in a copy of this session" },
  { name: "/whoami", what: "who you are here" },
];

/** Whether Hermes takes a message as a command, known or not. */
export function isCommand(text: string): boolean {
  return /^\/[a-z][a-z\d_-]*(?=\s|$)/i.test(text);
}

/** The commands that begin like what was typed; none once there is more than a command's name. */
export function completionsOf(text: string): readonly SlashCommand[] {
  if (!/^\/\w*$/.test(text)) return [];
  return COMMANDS.filter(({ name }) => name.startsWith(text.toLowerCase()));
}
