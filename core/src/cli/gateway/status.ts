import { MODEL_CATALOGUE } from "../../agent/model-catalogue.ts";
import { ageText, count } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";
import { type ModelStatus, modelStatus } from "../../host/model-status.ts";
import { unpricedLimits } from "../../host/unpriced-limits.ts";
import { type GatewayRow, platformState } from "../../model/gateway-row.ts";
import { accountName } from "../../model/identity.ts";
import { type Counts, readStatus, statusDocument } from "../../overview/status.ts";
import { accountLease } from "../../store/work-stores.ts";
import type { Output } from "../../terminal/output.ts";
import { Styled, styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { noteOtherConfig } from "./other-config.ts";

/**
 * `hermes status`: from the gateways' heartbeats and the store; loads no plugin. `healthy`: the exit code says whether
 * all is well.
 */
export async function showStatus(
  { output, withHost }: CliContext,
  { healthy = false }: { readonly healthy?: boolean } = {},
): Promise<number> {
  const gateways = await withHost((host) => printStatus(output, host), { needsConfig: false });
  return healthy && !gateways.some(reachesSomebody) ? 1 : 0;
}

/** One platform that is away is no reason to start a gateway anew: the others are served. */
function reachesSomebody({ platforms }: GatewayRow): boolean {
  return platforms.length === 0 || platforms.some(({ health, standby }) => standby || health.state !== "down");
}

/** Returns the gateways that run. */
async function printStatus(output: Output, host: Host): Promise<readonly GatewayRow[]> {
  const { store, config } = host;
  const { bold } = output.colors;
  const status = await readStatus(store);
  const { gateways, sessions, handoffs, counts } = status;
  const models = modelStatus(host);
  const unpriced = unpricedLimits(host.config, host.container.resolve(MODEL_CATALOGUE));
  output.document({
    ...statusDocument(status),
    models: models.map(({ facts: _, ...model }) => model),
    warnings: unpriced === null ? [] : [output.shown(unpriced)],
  });
  if (output.json) return gateways;
  const silent = await store.gateways.silent();
  if (gateways.length + silent.length === 0) {
    output.line("No gateway is running. `hermes gateway --detach` starts one.");
  }
  for (const { holder, heartbeatAt } of silent) {
    const age = ageText(host.clock.now() - heartbeatAt);
    const why = host.probe.isStopped?.(holder)
      ? `it is stopped. \`kill -CONT ${holder.pid}\` resumes it`
      : "it is starting, or has more to do than it can";
    output.line(styled`${bold("gateway")} pid ${holder.pid}, silent for ${age}: ${why}`);
  }
  for (const gateway of gateways) printGateway(output, host, gateway, counts);
  output.line(count(sessions, "session"));
  const parted = await partedPeople(host);
  if (parted > 0) output.line(output.colors.yellow(output.asCalled(partedText(parted))));
  for (const { platform, step, state, sessionId } of handoffs) {
    const title = (await store.sessions.get(sessionId))?.title ?? sessionId;
    output.line(`“${title}” is being handed off to ${platform}: ${step ?? state}`);
  }
  for (const model of models) printModel(output, model, host.clock.now());
  if (unpriced !== null) output.line(output.colors.yellow(output.asCalled(`${unpriced.message} ${unpriced.hint}`)));
  output.line(output.colors.dim(`config: ${config.path ?? "none, the defaults"}`));
  return gateways;
}

function printModel(output: Output, { model, isFallback, facts, failure }: ModelStatus, now: number): void {
  const { dim, yellow } = output.colors;
  output.line(styled`${isFallback ? "fallback" : "model"}: ${model} ${dim(`(${facts})`)}`);
  if (failure === null) return;
  output.line(styled`  ${yellow(`${failure.why}, ${ageText(now - failure.at)} ago when it was asked last`)}`);
}

/** How long after it a change is worth a line, in milliseconds. */
const NEWS_MS = 30 * 24 * 60 * 60_000;

/** How many that an earlier version had taken for one person were parted of late. */
async function partedPeople({ store, clock }: Host): Promise<number> {
  const parted = (await store.identities.list()).filter(
    ({ endedBy, until }) => endedBy === "parted" && (until ?? 0) > clock.now() - NEWS_MS,
  );
  return new Set(parted.map(({ platform, account, person }) => JSON.stringify([platform, account, person]))).size;
}

function partedText(people: number): string {
  const whom = people === 1 ? "one person" : `${people} people`;
  return `Ids that an earlier version attributed to ${whom} are separate now: \`hermes people\` shows them`;
}

function sayCounts(counts: Counts | undefined): string[] {
  const { waiting = 0, failed = 0, refused = 0 } = counts ?? {};
  return [
    ...(waiting > 0 ? [`${waiting} to be sent`] : []),
    ...(failed > 0 ? [`${failed} not delivered (\`hermes deliveries\`)`] : []),
    ...(refused > 0 ? [`${refused} from strangers refused`] : []),
  ];
}

function printGateway(output: Output, host: Host, gateway: GatewayRow, counts: ReadonlyMap<string, Counts>): void {
  const { bold, green, yellow, red, dim } = output.colors;
  const { holder, startedAt, platforms } = gateway;
  output.line(styled`${bold("gateway")} pid ${holder.pid}, for ${ageText(host.clock.now() - startedAt)}`);
  noteOtherConfig(output, host, gateway);
  for (const platform of platforms) {
    const { health, standby, home, notice, unreachable = [] } = platform;
    const paint = health.state === "up" ? green : health.state === "down" ? red : yellow;
    const [state, ...details] = platformState(platform);
    // Before a platform could be reached, whether it has one is not known.
    const isHomeKnown = home !== null || health.state === "up" || health.state === "degraded";
    const homeText = home === null ? "no home channel" : `home: ${home.name ?? home.chatId}`;
    const facts = [
      standby ? dim(state) : paint(state),
      ...details,
      ...(health.address === undefined ? [] : [health.address]),
      ...sayCounts(counts.get(accountLease(platform.platform, platform.account))).map((text) => output.asCalled(text)),
    ];
    const shown = Styled.join(facts.flatMap((fact, at) => (at === 0 ? [fact] : [", ", fact])));
    output.line(styled`  ${accountName(platform)}: ${shown}${isHomeKnown ? dim(`  ${homeText}`) : ""}`);
    if (notice !== undefined) output.line(styled`    ${yellow(output.asCalled(notice))}`);
    for (const { called, reason } of unreachable) {
      output.line(styled`    ${yellow(`The place “${called}” of the config cannot be reached: ${reason}`)}`);
    }
  }
  if (platforms.length === 0) output.line("  it serves no platform");
}
