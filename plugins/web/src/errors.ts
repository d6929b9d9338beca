import { type PlatformError, platformErrors, reasonOf } from "@hermes/core";
import { PLATFORM } from "./source.ts";

const { notFound, ...errors } = platformErrors(PLATFORM);
export const { threadGone, unavailable } = errors;

export function noSuchChat(chatId: string): PlatformError {
  return notFound(
    `there is no chat ${JSON.stringify(chatId)}`,
    'The page has one home channel: `homeChannel: "home"`.',
  );
}

export function noSuchMessage(messageId: string): PlatformError {
  return notFound(`there is no message ${messageId} to change`, "Send it as a new one.");
}

export function fileGone(): PlatformError {
  return notFound("a file is not in the folder any more", "Send it again.");
}

/** The error of a server that cannot listen, with the option to change. */
export function cannotListen(error: unknown, host: string, port: number): PlatformError {
  const { reason, hint } = whyNotListening(error, host, port);
  return unavailable(`${reason}; ${hint}`, { cause: error });
}

/** The same as a reason and a hint, each without its full stop. */
export function whyNotListening(
  error: unknown,
  host: string,
  port: number,
): { readonly reason: string; readonly hint: string } {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return {
        reason: `port ${port} on ${host} is in use by another program`,
        hint: "set `port` of the web plugin to another, or to 0 for any that is free",
      };
    case "EACCES":
      return {
        reason: `port ${port} needs rights that this process does not have`,
        hint: "set `port` of the web plugin to 1024 or higher",
      };
    case "EADDRNOTAVAIL":
      return {
        reason: `${host} is no address of this machine`,
        hint: "set `host` of the web plugin to one that is",
      };
    default:
      return {
        reason: `${host}:${port} cannot be listened on (${reasonOf(error)})`,
        hint: "look at `host` and `port` of the web plugin",
      };
  }
}

export function listensEverywhere(host: string): PlatformError {
  const reason = `${host} stands for every address of this machine; set \`publicUrl\` of the web plugin, or \`host\` to one address`;
  return unavailable(reason);
}

/** Runs `work` on the plugin's own file; turns an error of SQLite into a PlatformError. */
export function inFile<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isStorageError(error)) throw error;
    const reason = `its file cannot be used: ${reasonOf(error)}`;
    throw unavailable(reason, { cause: error });
  }
}

function isStorageError(error: unknown): boolean {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith("SQLITE_");
}
