/** For emulators of platforms: the interface that each implements, and helpers for all of them. */
export { systemClock } from "@hermes/core";
export { CannotEmulate } from "./cannot-emulate.ts";
export type * from "./emulator.ts";
export { EmulatorBase, type EmulatorParts } from "./emulator-base.ts";
export { createFailureScript, type FailureKind, type FailureScript } from "./failure-script.ts";
export { type Answer, answerJson, type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";
export {
  type ApiClient,
  ApiRefusal,
  answerCall,
  answerRefusal,
  clientOf,
  type FailureWords,
  playCall,
} from "./play-call.ts";
export { checkPlayable, playable, refusals } from "./playable-failures.ts";
export { BadBody, type RequestBody, readBody, readBytes, type UploadedFile } from "./request-body.ts";
export { createRequestLog, type RequestLog } from "./request-log.ts";
export { type ServedEmulator, serveEmulator } from "./serve-emulator.ts";
