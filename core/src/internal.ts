/** For Hermes' own packages, the kits and the emulators: it may change with any version. */
// Before anything that is made by injection.
import "reflect-metadata";

export { onAccount } from "./adapter/conversation.ts";
export { renderedMessage } from "./adapter/render-message.ts";
export { brandOf, hasBrand } from "./base/brand.ts";
export { createRedactor, isSecretName, redactDeep, secretsIn } from "./base/redact.ts";
export { createRowRedaction } from "./base/row-redaction.ts";
export type { BrokenPlugin } from "./config/config.ts";
export { CheckedOverview } from "./gateway/account/checked-overview.ts";
export { KnownIdentities } from "./gateway/account/known-identities.ts";
export { Gateway } from "./gateway/gateway.ts";
export { AttachedFiles, DownloadSlots } from "./gateway/inbound/attached-files.ts";
export type { ConfiguredPlugin } from "./plugin/configured-plugin.ts";
export { pluginFolderPath } from "./plugin/plugin-folder.ts";
export { redactingStore } from "./store/redacting-store.ts";
export { createTerminalStream } from "./terminal/markdown-stream.ts";
export { renderForTerminal } from "./terminal/render-markdown.ts";
