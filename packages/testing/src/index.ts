/**
 * For tests of Hermes, plugins and stores: conformance kits, a scripted model, a virtual clock. The kit of stores is
 * `@hermes/testing/store-kit`.
 *
 * @example
 * The conformance test of a plugin, which vitest or `node --test` runs:
 *
 * ```ts
 * import { describeAdapter } from "@hermes/testing";
 * import { subject } from "./subject.ts";
 *
 * describeAdapter(subject);
 * ```
 */

// The adapter kit: what it is told of a plugin, its proofs, its report.

export { check, checkEqual } from "./adapter-kit/check.ts";
export type { KitJudge, RecordedExchange, RecordedRequest } from "./adapter-kit/judge.ts";
export { type AdapterProof, NotClaimed, type ProofContext } from "./adapter-kit/proof.ts";
export { type ProofProgress, proveAdapter } from "./adapter-kit/prove-adapter.ts";
export { printFindings, type ReportForm } from "./adapter-kit/report.ts";
export { type AdapterFinding, describeFailure, docsOf } from "./adapter-kit/run-proof.ts";
export type { Stage, StageOptions } from "./adapter-kit/stage.ts";
export type {
  AdapterUnderTest,
  AuthorsFiles,
  KitAccount,
  KitHome,
  KitOptions,
  KitPlace,
  KitRefusal,
  KitRenewal,
  KitSetup,
  ThreadSwitch,
} from "./adapter-kit/subject.ts";
export { adapterReport, describeAdapter } from "./adapter-kit.ts";
export { badgeOf } from "./prove/badge.ts";
export { countProofs, proofIdsOf, provePackage, type Subjects, subjectsIn } from "./prove/prove-package.ts";
export { type AdapterReport, REPORT_VERSION, type ReportedFinding } from "./prove/report.ts";

// A plugin by itself: its adapter against its emulator, its set-up, what Hermes gives to it.

export { openIdentities, type TestIdentities } from "./open-identities.ts";
export { openOverview, type TestOverview } from "./open-overview.ts";
export { pluginDeps } from "./plugin-deps.ts";
export { setupContext } from "./setup-context.ts";
export { type RunningAdapter, startAdapter, until } from "./start-adapter.ts";

// A gateway, and the model behind it.

export {
  createModelServer,
  type ModelFailureReply,
  type ModelMessageReply,
  type ModelReply,
  type ModelReplyUsage,
  type ModelRequest,
  type ModelServer,
  type ReplyTo,
} from "./model-server.ts";
export { openGateway, type TestGateway } from "./open-gateway.ts";
export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  scriptedModel,
} from "./scripted-model.ts";

// Time, chance and order, turned by hand.

export { type Gate, gate } from "./gate.ts";
export { type Random, seededRandom } from "./random.ts";
export { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

// What tests look at, and what they feed: logs, columns of the store, Markdown, files.

export { type EveryColumn, everyColumnOf } from "./every-column.ts";
export { type Effort, effortOf, HOSTILE_SHAPES, type HostileShape } from "./hostile-markdown.ts";
export { notingLogger } from "./noting-logger.ts";
export { ordinaryMarkdown } from "./ordinary-markdown.ts";
export { readingFiles } from "./reading-files.ts";
export { PDF_FILE, PNG_FILE, pdfFile } from "./sample-files.ts";
