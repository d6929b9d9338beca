import { HermesError } from "../../base/errors.ts";
import { requestHandoff } from "../../handoff/request-handoff.ts";
import type { GatewayRow, ServedPlatform } from "../../model/gateway-row.ts";
import type { Handoff } from "../../model/handoff.ts";
import { homeOf } from "../../model/place.ts";
import { OPERATOR } from "../../model/session.ts";
import { Output } from "../../terminal/output.ts";
import { TurnPrinter } from "../chat/turn-printer.ts";
import { type CliContext, createContext, type TerminalHost } from "../context.ts";
import { describePlatforms } from "../gateway/describe-platforms.ts";
import { launchGateway } from "../gateway/launch.ts";
import { endGateways, runningGateways } from "../gateway/stop.ts";
import { followOnTerminal } from "../handoff/follow.ts";
import { printArrival } from "../handoff/print-arrival.ts";
import { restartService, runningService } from "../service/running-service.ts";
import { hasDraft, type Init } from "./draft.ts";
import { isStartedAgain } from "./start-again.ts";

/** What the person is shown as their first session. */
const FIRST_WORDS = "Say in one sentence that Hermes is set up.";
const TITLE = "First steps";

/** How long a handoff waits for the gateway, in milliseconds. */
const CLAIMED_WITHIN_MS = 60_000;

export interface Finish {
  readonly gateway: GatewayRow | null;
  readonly handoff: Handoff | null;
}

/** Records who is the operator, starts the gateway (again), and hands a first session off. */
export async function finish(init: Init): Promise<Finish> {
  const { flags } = init;
  const context = contextIn(init);
  return context.withHost(async (host) => {
    await recordPeople(init, host);
    if (!flags.gateway || host.config.plugins.length === 0) return { gateway: null, handoff: null };
    const gateway = await startAnew(context, host);
    isStartedAgain(init, host.config.path);
    const platform = whereTo(init, gateway.platforms);
    return { gateway, handoff: platform === null ? null : await handOff(init, context, host, platform) };
  });
}

/** As if the command had been given where the config is. */
function contextIn({ context, target, override }: Init): CliContext {
  const { output, configPath } = context;
  const io = { ...context.io, workingDirectory: target.folder };
  return createContext(new Output(io, { json: output.json }), { configPath, override });
}

/** Somebody else may be recorded for a chat that was a home channel before: the confirmation in the terminal counts. */
async function recordPeople({ draft }: Init, { store }: TerminalHost): Promise<void> {
  for (const { homePerson } of draft.platforms.values()) {
    if (homePerson === null) continue;
    const { seen, person } = homePerson;
    const before = await store.homePeople.get(seen);
    if (before !== null && before.person !== person) await store.homePeople.set(seen, person, "terminal");
  }
}

/** A gateway that runs on this config is followed by one that knows the new one; those of other configs go on. */
async function startAnew(context: CliContext, host: TerminalHost): Promise<GatewayRow> {
  const { output } = context;
  const { here } = await runningGateways(host);
  const own = here.filter(({ configPath }) => configPath === host.config.path);
  for (const { holder, configPath } of here.filter((one) => !own.includes(one))) {
    output.note(`Another gateway (pid ${holder.pid}) runs on ${configPath ?? "no config"}, and goes on.`);
  }
  if (own.length > 0) output.line("The gateway that runs is started again with the new config.");
  const gateway = await (own.length > 0
    ? followed(context, host, own)
    : launchGateway(context, host, { waitsForAll: true }));
  output.line(`The gateway runs (pid ${gateway.holder.pid}): ${describePlatforms(gateway.platforms)}.`);
  return gateway;
}

async function followed(context: CliContext, host: TerminalHost, own: readonly GatewayRow[]): Promise<GatewayRow> {
  const service = await runningService(context.io, own);
  if (service === null) {
    await endGateways(host, own);
    return launchGateway(context, host, { waitsForAll: true });
  }
  return restartService(service.manager, host);
}

/** A platform of this machine before others, and one that was just set up before one that was there. */
function whereTo({ draft, flags }: Init, served: readonly ServedPlatform[]): string | null {
  const able = served.filter(
    ({ health, takesHandoffs, home }) => takesHandoffs && home !== null && health.state !== "down",
  );
  const drafted = [...draft.platforms.values()];
  const needsHome = (platform: string) => drafted.find(({ plugin }) => plugin.platform === platform)?.needsHome ?? true;
  const isNew = (platform: string) => hasDraft(draft, platform) || flags.platforms.length === 0;
  const best =
    able.find(({ platform }) => !needsHome(platform)) ?? able.find(({ platform }) => isNew(platform)) ?? able[0];
  return best?.platform ?? null;
}

async function handOff(
  { signal }: Init,
  context: CliContext,
  host: TerminalHost,
  platform: string,
): Promise<Handoff | null> {
  const { store, clock } = host;
  const { output } = context;
  output.line();
  output.line(`A first session, and its handoff to ${platform}:`);
  const session = await store.sessions.create({ title: TITLE, user: OPERATOR, origin: "terminal", originChat: null });
  try {
    await new TurnPrinter(output, host).say(session.id, FIRST_WORDS, { signal });
    const { handoff } = await requestHandoff({ store, clock }, { sessionId: session.id, to: homeOf(platform), signal });
    const ended = await followOnTerminal(output, host, handoff, { claimWithinMs: CLAIMED_WITHIN_MS, signal });
    if (ended.state === "completed" && !output.json) await printArrival(output, host, ended);
    if (ended.state === "failed") output.note(`It did not arrive: \`hermes handoffs show ${ended.id}\` says why.`);
    return ended;
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    // Setup is complete by now: report what failed, and undo nothing.
    output.note(`${error.message} ${error.hint}`);
    return store.handoffs.latestOf(session.id);
  }
}
