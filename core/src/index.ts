/** For plugins and configs. Programs that run Hermes within themselves also have `@hermes/core/embed`. */
export type { Clock } from "./base/clock.ts";
export { sleep } from "./base/clock.ts";
export type { ErrorCode, ErrorFields } from "./base/error-table.ts";
export { HermesError, PlatformError, type PlatformErrorCode, reasonOf } from "./base/errors.ts";
export type { IdSource } from "./base/ids.ts";
export type { LogFields, Logger } from "./base/logger.ts";
export { RecentMap } from "./base/recent-map.ts";
export { CLOCK, ID_SOURCE, LOGGER, type Token, token } from "./base/tokens.ts";
export type { HermesConfig, ProviderConfig } from "./config/config.ts";
export { defineConfig } from "./config/define-config.ts";
export * from "./platform/adapter.ts";
export * from "./platform/capabilities.ts";
export * from "./platform/conversation.ts";
export * from "./platform/message.ts";
export * from "./platform/session-key.ts";
export * from "./plugin/descriptor.ts";
export { type PlatformOptions, platformOptions } from "./plugin/platform-options.ts";
export type { PluginCli, PluginCliContext, PluginCommand } from "./plugin/plugin-cli.ts";
