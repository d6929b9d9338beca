import { MODEL_CATALOGUE } from "../../agent/model-catalogue.ts";
import { MODEL_CHOICE } from "../../agent/model-choice.ts";
import { parseModelName } from "../../agent/model-name.ts";
import { HermesError } from "../../base/errors.ts";
import { findSession } from "../../command/find-session.ts";
import { refuseWhileInFlight } from "../../handoff/handoff-in-flight.ts";
import type { Host } from "../../host/host.ts";
import { unpricedLimits } from "../../host/unpriced-limits.ts";
import { EVERY_SESSION, type Session, type SessionId, type SessionMode } from "../../model/session.ts";
import { askAboutInstructions } from "../ask-about-instructions.ts";
import type { CliContext } from "../context.ts";
import { launchGateway } from "../gateway/launch.ts";
import { noteOtherConfig } from "../gateway/other-config.ts";
import { lastSessionIn } from "../last-session.ts";
import { noteToolsDirectory } from "../note-tools-directory.ts";
import { refuseJson } from "../usage-error.ts";
import { chat } from "./chat.ts";
import { withPipedInput } from "./piped-input.ts";

export interface StartChatOptions {
  readonly query?: string;
  readonly session?: string;
  readonly continue?: boolean;
  readonly gateway?: boolean;
  readonly mode?: SessionMode;
  readonly model?: string;
  /** What has to be asked waits for an answer from elsewhere, instead of being denied. */
  readonly wait?: boolean;
}

/** `hermes` and `hermes chat`. */
export async function startChat(context: CliContext, options: StartChatOptions): Promise<number> {
  if (options.query === undefined) refuseJson(context, "hermes chat");
  if (options.query?.trim() === "") {
    throw new HermesError("USAGE", { reason: "The message is empty", command: "hermes chat" });
  }
  if (options.continue && options.session !== undefined) {
    throw new HermesError("USAGE", { reason: "Give --continue or --session, not both", command: "hermes chat" });
  }
  if (options.wait && options.query === undefined && context.io.isInteractive) {
    throw new HermesError("USAGE", { reason: "--wait goes with -q, or with what is piped in", command: "hermes chat" });
  }
  const { mode, model, wait: waits = false } = options;
  return context.withHost(async (host) => {
    if (options.gateway) await ensureGateway(context, host);
    const session = await wantedSession(context, host, options);
    const isWatched = options.query === undefined && context.io.isInteractive;
    if (session !== null && !isWatched) await refuseWhileInFlight(host, session.id);
    const sessionId = session?.id ?? null;
    if (model !== undefined) await takeModel(context, host, { model, sessionId });
    const unpriced = unpricedLimits(host.config, host.container.resolve(MODEL_CATALOGUE));
    if (unpriced !== null) context.output.note(`${unpriced.message} ${unpriced.hint}`);
    if (options.query !== undefined) {
      const { askOnce } = await import("./ask-once.ts");
      const query = await withPipedInput(options.query, context.io, context.output, host.clock);
      const typed = options.query.trim() === "-" ? "" : options.query;
      return askOnce(context, host, { sessionId, query, typed, mode, model, waits });
    }
    printWelcome(context, host);
    if (context.io.isInteractive) {
      await noteToolsDirectory(context.output, host);
      await askAboutInstructions(context.output, host, session?.workingDirectory ?? context.io.workingDirectory);
    }
    if (options.continue && session !== null)
      context.output.line(context.output.colors.bold(session.title ?? session.id));
    return chat(context, host, { sessionId, mode, model, waits });
  });
}

/** Checks the model that `--model` names, and gives it to the session, if there is one yet. Throws AGENT_… errors. */
async function takeModel(
  { output }: CliContext,
  { container, store }: Host,
  { model, sessionId }: { readonly model: string; readonly sessionId: SessionId | null },
): Promise<void> {
  const { isThere, whyUnknown, near } = await container.resolve(MODEL_CHOICE).check(model);
  if (isThere === false) {
    const { provider, model: name } = parseModelName(model);
    const reason = near.length === 0 ? "its list has none of that name" : `did you mean ${near.join(" or ")}?`;
    throw new HermesError("AGENT_MODEL_GONE", { provider, model: name, reason });
  }
  if (whyUnknown !== null) output.note(`Could not check whether ${model} exists: ${whyUnknown}`);
  if (sessionId !== null) await store.sessions.setModel(sessionId, model);
}

/** Null: the first message begins one. */
async function wantedSession(
  { io, output }: CliContext,
  host: Host,
  options: StartChatOptions,
): Promise<Session | null> {
  if (options.session !== undefined) return findSession(host.store, options.session, EVERY_SESSION);
  if (!options.continue) return null;
  const last = await lastSessionIn(host.store, io.workingDirectory);
  if (last === null) output.note("No session was begun in this folder yet; your first message begins one.");
  return last;
}

async function ensureGateway(context: CliContext, host: Host): Promise<void> {
  const { output } = context;
  const [running] = await host.store.gateways.alive();
  if (running === undefined) {
    const { holder } = await launchGateway(context, host);
    output.note(`Started a gateway (pid ${holder.pid}); \`hermes gateway stop\` stops it.`);
  } else {
    noteOtherConfig(output, host, running);
  }
}

/** The first line of a chat that a person sits at. */
export function printWelcome({ io, output }: CliContext, { config }: Host): void {
  if (!io.isInteractive) return;
  const model = config.model ?? "no model is set";
  output.note(`Hermes · ${model} · /help lists the commands, /quit leaves`);
  if (config.path === null) output.note("There is no config yet: `hermes init` sets a model and platforms up.");
}
