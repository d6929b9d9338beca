import type { Clock, Logger } from "@hermes/core";
import { forbidden, unavailable } from "../errors.ts";
import { toId } from "../ids.ts";
import { Credentials } from "./credentials.ts";
import { type EndReason, endReasonOf, openSocket, type SocketParts } from "./socket.ts";

export interface LinkParts {
  readonly options: SocketParts["options"];
  /** The plugin's. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The text of a code to scan; a new one comes every 20 s or so, in place of the one before. */
  readonly onCode: (code: string) => void;
}

type Ending = EndReason | "linked";

/**
 * Links this machine to an account as one of its devices: shows codes until one is scanned, and keeps the credentials.
 * Those of a device that was linked before count until then, and are kept. Returns the account's
 * number. Throws a PlatformError when nobody scans, or WhatsApp refuses.
 */
export async function linkDevice(parts: LinkParts): Promise<string> {
  const { folder, clock } = parts;
  const credentials = Credentials.begin(folder, clock.now());
  try {
    let ending = await connectOnce(parts, credentials);
    // WhatsApp has a device that was just linked connect anew.
    if (ending === "restart") ending = await connectOnce(parts, credentials);
    if (ending !== "linked") throw failed(ending);
  } catch (error) {
    credentials.discard();
    throw error;
  }
  credentials.close();
  credentials.adopt();
  return toId(credentials.state.creds.me?.id ?? "");
}

async function connectOnce({ options, logger, onCode }: LinkParts, credentials: Credentials): Promise<Ending> {
  const socket = openSocket({ options, credentials, logger });
  const ended = Promise.withResolvers<Ending>();
  socket.ev.on("creds.update", () => credentials.save());
  socket.ev.on("connection.update", ({ connection, qr, lastDisconnect }) => {
    if (qr !== undefined) onCode(qr);
    if (connection === "open") ended.resolve("linked");
    if (connection === "close") ended.resolve(endReasonOf(lastDisconnect?.error));
  });
  const ending = await ended.promise;
  await socket.end(undefined);
  return ending;
}

function failed(reason: EndReason): Error {
  switch (reason) {
    case "logged-out":
    case "banned":
      return forbidden("it does not let this device in", "Open WhatsApp on the phone: it says why. Then try again.");
    case "outdated":
      return unavailable("it wants a newer client than this version of the plugin has; update @hermes/plugin-whatsapp");
    default:
      return unavailable("nobody scanned the code in time, or the connection was lost");
  }
}
