/** For programs that run Hermes within themselves, and take the place of its parts: everything behind a token. */
import "reflect-metadata";

export { isReadByOthers } from "./adapter/read-by-others.ts";
export {
  AGENT,
  type Agent,
  type AgentEvent,
  type AgentRequest,
  type RequestedCall,
  TOOLS,
  type Tool,
  type ToolContext,
  type ToolInput,
  type ToolResult,
} from "./agent/agent.ts";
export { MODEL_CATALOGUE, type ModelCatalogue } from "./agent/model-catalogue.ts";
export type { ModelFacts, ModelPrices, TokenPrices } from "./agent/model-facts.ts";
export type { StoredError } from "./base/errors.ts";
export { type FileRef, LARGEST_FILE } from "./base/file-ref.ts";
export type { Holder, ProcessIdentity, ProcessProbe } from "./base/process-identity.ts";
export { REDACTOR } from "./base/redact.ts";
export { CLOCK, HOLDER, ID_SOURCE, LOGGER, PROCESS_PROBE, type Token, token } from "./base/tokens.ts";
export { CONFIG, type LoadedConfig } from "./config/config.ts";
export { FileStore } from "./files/file-store.ts";
export { FILES, type Files } from "./files/files.ts";
export {
  createHermes,
  type Hermes,
  type HermesAnswer,
  type HermesEvent,
  type HermesOptions,
  type SayOptions,
} from "./gateway/create-hermes.ts";
export { type GatewayInfo, type GatewayOptions, runGateway } from "./gateway/run-gateway.ts";
export { type FollowOptions, followHandoff, type HandoffProgress } from "./handoff/follow-handoff.ts";
export { checkHandoff, requestHandoff } from "./handoff/request-handoff.ts";
export { createHost } from "./host/create-host.ts";
export { hermesHome } from "./host/home.ts";
export type { Host, HostOptions } from "./host/host.ts";
export { type OpenStoreOptions, openStore } from "./host/open-store.ts";
export {
  type Approval,
  type ApprovalChoice,
  type ApprovalDecision,
  type ApprovalId,
  choiceIdOf,
  closedQuestion,
  type Decider,
  type NewApproval,
  readChoiceId,
  type ShownApproval,
  unansweredNotice,
  withdrawnQuestion,
} from "./model/approval.ts";
export { askedText } from "./model/approval-text.ts";
export {
  type Ask,
  type AskId,
  type AskPlace,
  type AskResult,
  type AskState,
  askChoiceId,
  closedAsk,
  type NewAsk,
  newAskId,
  readAskChoice,
  type TakeAlongResult,
} from "./model/ask.ts";
export type { Binding } from "./model/binding.ts";
export { matchResults, openToolCalls } from "./model/call-results.ts";
export {
  CLAIM_LASTS_MS,
  type Code,
  type CodeKind,
  type CodeSender,
  type CodeState,
  codeIn,
  type NewCode,
  newCode,
  type RedeemCode,
  type Redemption,
  readCode,
  shownCode,
} from "./model/code.ts";
export {
  type CompactedFacts,
  type Compaction,
  compactionMarker,
  type NewCompaction,
  NO_FACTS,
} from "./model/compaction.ts";
export type { GatewayRow } from "./model/gateway-row.ts";
export type { NewGrants, PublishedGrants } from "./model/grants.ts";
export type { BindHandoff, CompletedFacts, Handoff, HandoffId, ToTerminal } from "./model/handoff.ts";
export type { HeldLease, LeaseSubject } from "./model/held-lease.ts";
export type { SeenHome } from "./model/home-person.ts";
export type { IdentityScope } from "./model/identity.ts";
export type { InboxRow } from "./model/inbox.ts";
export type { Job, JobList } from "./model/job.ts";
export type { Lane } from "./model/lane.ts";
export { type Limit, type LimitRaise, type LimitScope, type Limits, subjectOfSession } from "./model/limit.ts";
export { mark } from "./model/mark.ts";
export { mayDo } from "./model/may-do.ts";
export { NOT_TAKEN_ALONG, takenAlongNotice } from "./model/offer-text.ts";
export type {
  Draft,
  NewOutboxEntry,
  OutboxFacts,
  OutboxId,
  OutboxRow,
  SendAttempt,
  SendOutcome,
} from "./model/outbox.ts";
export {
  type IdentityKey,
  identityOfUser,
  type LinkWord,
  PERSON_NAME_LIMIT,
  type PeopleGrants,
  type Person,
  type PersonIdentity,
  type PersonRole,
  type StandingOf,
  userOfIdentity,
} from "./model/person.ts";
export { type HandoffTarget, homeOf, type PlatformTarget } from "./model/place.ts";
export { placeName } from "./model/place-name.ts";
export { busyError, inFlightError } from "./model/refusals.ts";
export {
  EVERY_SESSION,
  type ForkSession,
  type NewSession,
  OPERATOR,
  type Session,
  type SessionId,
  type SessionMode,
  type Surface,
  type UserId,
  type Visibility,
} from "./model/session.ts";
export { cleanTitle, TITLE_LIMIT, titleOfFork } from "./model/title.ts";
export {
  FORKED_TURN,
  handoffFailedMarker,
  type NewMessage,
  type Role,
  refusalMarker,
  TOOL_INTERRUPTED,
  TOOL_LEFT_IN_FORK,
  TOOL_NOT_ANSWERED,
  TOOL_NOT_RUN,
  type ToolCall,
  type TranscriptMessage,
  turnMarker,
} from "./model/transcript.ts";
export {
  authorOf,
  type BegunCall,
  type CallProcess,
  type DecideApproval,
  type DecideApprovalResult,
  type Fence,
  type ParkTurn,
  type ParkTurnResult,
  type ResumeTurn,
  type ResumeTurnResult,
  type RewindSession,
  type StartTurn,
  type StartTurnResult,
  type Turn,
  type TurnAuthor,
  type TurnCall,
  type TurnId,
  type UndoneExchange,
  type WaitReason,
} from "./model/turn.ts";
export type { LineId } from "./model/typed-line.ts";
export { withUnsentFiles } from "./model/unsent-files.ts";
export {
  dayOf,
  type LastUsage,
  type NewUsage,
  type TokenUsage,
  type UsageBy,
  type UsageFilter,
  type UsageGroup,
  type UsageSum,
} from "./model/usage.ts";
export type { GrowingTurn, KeepView, View } from "./model/view.ts";
export type { KeptState } from "./model/work-state.ts";
export type { DecidedBy, Decision, Effect, PermissionContext, PermissionMode } from "./permissions/judge.ts";
export { type JudgedCall, judgeCall, type Verdict } from "./permissions/judge-call.ts";
export type { PermissionRules, RuleKind } from "./permissions/rule.ts";
export { OFFERED_FOR_MS } from "./store/ask-store.ts";
export {
  ACCOUNT_DELAY,
  DENIED_MS,
  FREE_ON_ACCOUNT,
  MOST_REQUESTS,
  MOST_WRONG_CODES,
  SILENT_MS,
} from "./store/code-store.ts";
export { STORE, type Store } from "./store/store.ts";
export { VIEW_LEASE_MS } from "./store/view-store.ts";
export { accountLease } from "./store/work-stores.ts";
export { type WorkspaceToolsOptions, workspaceTools } from "./tools/index.ts";
export type { FoundMessage, SessionSearch } from "./tools/sessions.ts";
export { JOBS, type Jobs, type LiveSessions, type StartedJob } from "./tools/shell/jobs.ts";
export {
  LEAVING,
  type StoreIsBusy,
  TURN_RUNNER,
  type TurnEvent,
  type TurnOutcome,
  type TurnRequest,
  type TurnResult,
  type TurnRunner,
} from "./turn/turn-runner.ts";
