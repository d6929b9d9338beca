/** For tests of Hermes, plugins and stores: conformance kits, a scripted model, a virtual clock. */
export * from "./adapter-kit.ts";
export { type EveryColumn, everyColumnOf } from "./every-column.ts";
export { type Gate, gate } from "./gate.ts";
export { type Effort, effortOf, HOSTILE_SHAPES, type HostileShape } from "./hostile-markdown.ts";
export * from "./model-server.ts";
export { notingLogger } from "./noting-logger.ts";
export { openIdentities, type TestIdentities } from "./open-identities.ts";
export { openOverview, type TestOverview } from "./open-overview.ts";
export { ordinaryMarkdown } from "./ordinary-markdown.ts";
export { pluginDeps } from "./plugin-deps.ts";
export { type Random, seededRandom } from "./random.ts";
export { readingFiles } from "./reading-files.ts";
export { PDF_FILE, PNG_FILE, pdfFile } from "./sample-files.ts";
export * from "./scripted-model.ts";
export { setupContext } from "./setup-context.ts";
export { type RunningAdapter, startAdapter, until } from "./start-adapter.ts";
export { type CreateStore, describeStore, type StoreParts, type StoreUnderTest } from "./store-kit.ts";
export { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";
