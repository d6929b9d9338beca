/**
 * For plugins and configs. Programs that run Hermes within themselves also have `@hermes/core/embed`.
 *
 * @example
 * A plugin for a platform:
 *
 * ```ts
 * import { ConnectedAdapter, definePlugin, platformOptions, z } from "@hermes/core";
 *
 * export const acme = definePlugin({
 *   package: "hermes-plugin-acme",
 *   platform: "acme",
 *   apiVersion: 2,
 *   schema: z.strictObject({ ...platformOptions, token: z.string() }),
 *   create: async (deps) => new (await import("./adapter.ts")).AcmeAdapter(deps),
 * });
 * ```
 *
 * And a config that uses it, `hermes.config.ts`:
 *
 * ```ts
 * import { defineConfig } from "@hermes/core";
 * import { acme } from "hermes-plugin-acme";
 *
 * export default defineConfig({ plugins: [acme({ token: process.env.ACME_TOKEN, homeChannel: "c-team" })] });
 * ```
 */

// The config: what stands in `hermes.config.ts`.

export { defineConfig, type HermesConfig, type ProviderConfig } from "./config/config.ts";

// A plugin: what its package exports, its options, its set-up and its commands.

/**
 * zod, as core itself has it loaded, so that a start loads one copy of it; its messages are English. Any other Standard
 * Schema is a plugin's schema, too, one of a zod of its own among them.
 */
export { z } from "zod";
export type { StandardSchema, ToolInput } from "./base/standard-schema.ts";
export {
  type CommandInfo,
  definePlugin,
  PLUGIN_API_VERSION,
  type PluginDeps,
  type PluginDescriptor,
  type PluginScope,
} from "./plugin/descriptor.ts";
export { type ApiAnswer, askApi, Findings } from "./plugin/examination.ts";
export {
  type ConfiguredPlace,
  type PlatformConfig,
  type PlatformOptions,
  platformOptions,
} from "./plugin/platform-options.ts";
export type { PluginCli, PluginCliContext, PluginCommand, PluginCommandWord } from "./plugin/plugin-cli.ts";
export type {
  Examination,
  ExaminedAccount,
  Finding,
  PluginSetup,
  PluginSetupContext,
  SetupQuestion,
  SetupWay,
} from "./plugin/plugin-setup.ts";

// Tools: a plugin that gives the agent something to do.

export {
  defineTool,
  defineTools,
  type PluginTool,
  type PluginToolCall,
  type ToolsDeps,
  type ToolsDescriptor,
} from "./plugin/tools-plugin.ts";

// The adapter: its contract with Hermes, and the base classes.

export {
  type AdapterEvents,
  type PeopleAt,
  PlatformAdapter,
  type SendOptions,
  type ThreadOptions,
} from "./adapter/adapter.ts";
export { type AdapterHealth, type Capabilities, PLAIN_TEXT_ONLY } from "./adapter/capabilities.ts";
export { type AdapterContext, ConnectedAdapter } from "./plugin/connected-adapter.ts";

// Places and people: conversations, the keys of sessions, senders.

export { type ChatKind, type Conversation, chatOf, type HomeChannel } from "./adapter/conversation.ts";
export {
  type FormerPerson,
  type Identities,
  type KnownPerson,
  type PlatformId,
  senderOf,
} from "./adapter/identity.ts";
export { buildSessionKey, type SessionKey } from "./adapter/session-key.ts";
export { threadName } from "./adapter/thread-name.ts";

// Messages, both ways.

export type {
  Attachment,
  Choice,
  ChoiceLimits,
  Download,
  HandoffThread,
  InboundMessage,
  OutboundFile,
  OutboundMessage,
  Piece,
  Press,
  Quote,
  Reference,
  SaidElsewhere,
  Sender,
  SendReceipt,
  ToldSessions,
} from "./adapter/message.ts";
export { describeItem, type SharedItem, type UnreadableKind } from "./adapter/shared-items.ts";

// Receiving: polling, streams, sockets and webhooks; the order of a chat; what came while Hermes was away.

export { CatchUp, type CatchUpParts } from "./adapter/catch-up/catch-up.ts";
export type { HeardSoFar, HistoryEntry, MessageHistory } from "./adapter/catch-up/message-history.ts";
export { HintedHistory, type HintedHistoryParts, type HintedMessage } from "./adapter/hinted-history.ts";
export type { HintsParts } from "./adapter/hints.ts";
export { type IntakeEntry, OrderedIntake } from "./adapter/ordered-intake.ts";
export type { Polled, Polling } from "./adapter/polling.ts";
export { type ReceiveFailure, ReceiveLoop, type ReceiveRound } from "./adapter/receive-loop.ts";
export { isSameSecret, secretPath, WebhookListener, type WebhookListenerParts } from "./adapter/webhook-listener.ts";

// Sending: calls by HTTP, what the platform says late, what was sent.

export { apiFetch } from "./adapter/api-fetch.ts";
export {
  type HttpAnswer,
  type HttpCall,
  HttpClient,
  type HttpClientOptions,
  jsonOf,
  retryAfterMs,
} from "./adapter/http-client.ts";
export { type Fate, LateReports, type LateReportsParts } from "./adapter/late-reports.ts";
export { type Sent, SentLog, type SentLogParts } from "./adapter/sent-log.ts";

// Files of messages.

export {
  decodeText,
  filePieces,
  isTextFile,
  LARGEST_TEXT_FILE,
  readResponseBody,
  textFile,
} from "./adapter/attachments.ts";
export { type ReadAttachment, readAttachment } from "./adapter/read-attachment.ts";
export { safeFileName } from "./files/file-name.ts";
export { type ModelFileType, sniffMediaType } from "./files/media-type.ts";
export { type PictureIn, pictureIn } from "./files/picture-in.ts";

// Errors: Hermes' own, and those of a platform.

export { mayBeReadLater, type PlatformErrors, platformErrors, wasNeverSent } from "./adapter/platform-errors.ts";
export type { ErrorCode, ErrorFields } from "./base/error-table.ts";
export { HermesError, PlatformError, type PlatformErrorCode, reasonOf } from "./base/errors.ts";

// Sessions as an adapter may show them: mirroring, and what people or the operator may see.

export {
  type CallOutcome,
  type EarlierMessage,
  type EarlierPart,
  NO_HISTORY,
  type SessionHistory,
  type ShownCall,
  type ShownTurn,
} from "./adapter/session-history.ts";
export type {
  OperatorOverview,
  OverviewAction,
  OverviewDocument,
  OverviewQuery,
  Visitor,
} from "./plugin/operator-overview.ts";
export type {
  ExcerptPart,
  FoundInSession,
  ListedSession,
  SessionHere,
  SessionPageFor,
  SessionQuery,
  SessionWindow,
  VisibleSessions,
} from "./plugin/visible-sessions.ts";

// Parts for all of these: time, queues, small files in the plugin's folder, text without secrets.

export { type BackOff, backOff } from "./base/back-off.ts";
export { type Clock, type SteadyTime, sleep, systemClock } from "./base/clock.ts";
export { Coalesced } from "./base/coalesced.ts";
export { isDoneWithin, timeLimit, untilAborted, withDeadline } from "./base/deadline.ts";
export type { IdSource } from "./base/ids.ts";
export { KeptJson } from "./base/kept-json.ts";
export { KeptLines } from "./base/kept-lines.ts";
export { KeyedQueue } from "./base/keyed-queue.ts";
export type { LogFields, Logger } from "./base/logger.ts";
export { oneLine, shortName } from "./base/one-line.ts";
export { RecentMap } from "./base/recent-map.ts";
export { type Redactor, redactTexts } from "./base/redact.ts";
export { replaceFile } from "./base/replace-file.ts";
export { shorten } from "./base/shorten.ts";
