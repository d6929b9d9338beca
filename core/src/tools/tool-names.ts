/** The names of the tools that Hermes has by itself; no plugin's tool may be called so. */
export const TOOL_NAMES: ReadonlySet<string> = new Set([
  ...["read", "list", "search", "write", "edit", "todo", "question", "sessions", "send_file", "shell"],
]);
