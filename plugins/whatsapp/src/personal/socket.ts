import type { Logger } from "@hermes/core";
import {
  Browsers,
  DisconnectReason,
  fetchLatestWaWebVersion,
  makeWASocket,
  type proto,
  type SocketConfig,
  WA_CERT_DETAILS,
  type WAMessageKey,
  type WASocket,
  type WAVersion,
} from "@whiskeysockets/baileys";
import type { Credentials } from "./credentials.ts";
import { checkSignatures, keepSessionsWhole, silenceLibsignal } from "./libsignal.ts";

silenceLibsignal();
keepSessionsWhole();
checkSignatures();

export interface SocketParts {
  readonly options: { readonly socketUrl: string; readonly certificateRoot?: string | undefined };
  readonly credentials: Credentials;
  readonly logger: Logger;
  /** The version of WhatsApp's web page, if the library's own is too old. */
  readonly version?: WAVersion | undefined;
  readonly makeSignalRepository?: SocketConfig["makeSignalRepository"];
  /** Returns a sent message, for a receiver who could not read it and asks for it again. */
  readonly sent?: (id: string) => proto.IMessage | undefined;
}

/** The timeout for one query, in milliseconds. */
const QUERY_WITHIN_MS = 20_000;

/** WhatsApp's own root certificate, before it is replaced. */
const WHATSAPPS_ROOT = WA_CERT_DETAILS.PUBLIC_KEY;

/** Opens a connection to WhatsApp as a linked device. */
export function openSocket({
  options,
  credentials,
  logger,
  version,
  makeSignalRepository,
  sent,
}: SocketParts): WASocket {
  const { socketUrl, certificateRoot } = options;
  // The library accepts another root only here; each connection sets its own.
  WA_CERT_DETAILS.PUBLIC_KEY = certificateRoot === undefined ? WHATSAPPS_ROOT : Buffer.from(certificateRoot, "hex");
  const socket = makeWASocket({
    auth: credentials.state,
    waWebSocketUrl: socketUrl,
    logger: toSocketLogger(logger),
    browser: Browsers.ubuntu("Hermes"),
    // Stay marked as offline, so that the phone keeps notifying.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    emitOwnEvents: false,
    defaultQueryTimeoutMs: QUERY_WITHIN_MS,
    getMessage: async ({ id }: WAMessageKey) => sent?.(id ?? ""),
    ...(version ? { version } : {}),
    ...(makeSignalRepository ? { makeSignalRepository } : {}),
  });
  // Baileys ignores this event, so it would wait for a busy server in vain.
  socket.ws.on("unexpected-response", () => void socket.end(new Error("the server did not open a socket")));
  return socket;
}

/** The timeout for WhatsApp's web page, in milliseconds. */
const PAGE_WITHIN_MS = 10_000;

/** Fetches the version of WhatsApp's web page; undefined if that fails. */
export async function currentVersion(): Promise<WAVersion | undefined> {
  const { version, isLatest } = await fetchLatestWaWebVersion({ signal: AbortSignal.timeout(PAGE_WITHIN_MS) });
  return isLatest ? version : undefined;
}

/** Why a connection ended, by Baileys' code. */
export type EndReason = "replaced" | "logged-out" | "banned" | "outdated" | "restart" | "lost";

/** The library's own code for “WhatsApp does not take clients this old”. */
const OUTDATED = 405;

export function endReasonOf(error: unknown): EndReason {
  const { output } = Object(error) as { readonly output?: { readonly statusCode?: number } };
  switch (output?.statusCode) {
    case DisconnectReason.connectionReplaced:
      return "replaced";
    case DisconnectReason.loggedOut:
      return "logged-out";
    case DisconnectReason.forbidden:
    case DisconnectReason.multideviceMismatch:
      return "banned";
    case DisconnectReason.restartRequired:
      return "restart";
    case OUTDATED:
      return "outdated";
    default:
      return "lost";
  }
}

/** The logger that Baileys expects. */
interface SocketLogger {
  level: string;
  child(fields: Record<string, unknown>): SocketLogger;
  trace(fields: unknown, text?: string): void;
  debug(fields: unknown, text?: string): void;
  info(fields: unknown, text?: string): void;
  warn(fields: unknown, text?: string): void;
  error(fields: unknown, text?: string): void;
}

/**
 * Logs Baileys' messages without their fields, which hold keys and whole messages. Errors are logged as debug, since
 * Baileys mostly handles them itself.
 */
function toSocketLogger(logger: Logger): SocketLogger {
  const note = (fields: unknown, text?: string) => {
    const said = text ?? (typeof fields === "string" ? fields : "");
    if (said !== "") logger.debug({}, `baileys: ${said}`);
  };
  const socketLogger: SocketLogger = {
    level: "warn",
    child: () => socketLogger,
    trace() {},
    debug() {},
    info() {},
    warn: note,
    error: note,
  };
  return socketLogger;
}
