import { HermesError, type Logger, reasonOf } from "@hermes/core";
import { toId } from "../source.ts";
import { Credentials } from "./credentials.ts";
import { currentVersion, type EndReason, endReasonOf, openSocket, type SocketParts } from "./socket.ts";

export interface LinkParts {
  readonly options: SocketParts["options"];
  /** The plugin's. */
  readonly folder: string;
  readonly logger: Logger;
  /** Called with the text of a code to scan; every 20 s or so a new one replaces it. */
  readonly onCode: (code: string) => void;
}

/** How one connection ended. */
interface Ending {
  readonly is: EndReason | "linked";
  readonly error: unknown;
  /** Whether there was a code to scan. */
  readonly hasShown: boolean;
}

/**
 * Links this machine to an account as one of its devices: shows codes until one is scanned, and stores the credentials.
 * Until then those of a device that was linked before stay in use; they are not deleted. Returns the account's number.
 * Throws PLUGIN_COMMAND_FAILED if the server cannot be reached, nobody scans, or WhatsApp refuses.
 */
export async function linkDevice(parts: LinkParts): Promise<string> {
  const credentials = Credentials.begin(parts.folder);
  try {
    let version: SocketParts["version"];
    let ending = await connectOnce(parts, { credentials });
    if (ending.is === "outdated") {
      version = await currentVersion();
      if (version !== undefined) ending = await connectOnce(parts, { credentials, version });
    }
    // WhatsApp makes a newly linked device reconnect.
    if (ending.is === "restart") ending = await connectOnce(parts, { credentials, version });
    if (ending.is !== "linked") throw failed(ending);
  } catch (error) {
    credentials.discard();
    throw error;
  }
  credentials.close();
  credentials.adopt();
  return toId(credentials.state.creds.me?.id ?? "");
}

async function connectOnce(
  { options, logger, onCode }: LinkParts,
  { credentials, version }: Pick<SocketParts, "credentials" | "version">,
): Promise<Ending> {
  const socket = openSocket({ options, credentials, version, logger });
  const ended = Promise.withResolvers<Ending>();
  let hasShown = false;
  socket.ev.on("creds.update", () => credentials.save());
  socket.ev.on("connection.update", ({ connection, qr, lastDisconnect }) => {
    if (qr !== undefined) onCode(qr);
    hasShown ||= qr !== undefined;
    const error = lastDisconnect?.error;
    if (connection === "open") ended.resolve({ is: "linked", error, hasShown });
    if (connection === "close") ended.resolve({ is: endReasonOf(error), error, hasShown });
  });
  const ending = await ended.promise;
  await socket.end(undefined);
  return ending;
}

function failed({ is, error, hasShown }: Ending): HermesError {
  switch (is) {
    case "logged-out":
    case "banned":
      return nothing(
        "WhatsApp does not let this device in",
        "Open WhatsApp on the phone: it says why. Then try again.",
      );
    case "outdated":
      return nothing("WhatsApp wants a newer client than this one", "Update @hermes/plugin-whatsapp.");
    default:
      return hasShown
        ? nothing("nobody scanned the code in time, or the connection was lost", "Run it again.")
        : nothing(
            `WhatsApp's server cannot be reached (${reasonOf(error)})`,
            "Check the network, and `socketUrl` where the config sets it.",
          );
  }
}

function nothing(reason: string, hint: string): HermesError {
  return new HermesError("PLUGIN_COMMAND_FAILED", { command: "hermes whatsapp link", reason, hint });
}
