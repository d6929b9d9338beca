import { durationText } from "../base/duration.ts";
import { ageText, count } from "../base/text.ts";
import { handoffInFlight } from "../handoff/handoff-in-flight.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { compactionSizes } from "../model/compaction.ts";
import { type GatewayRow, platformState, type ServedPlatform } from "../model/gateway-row.ts";
import { accountName } from "../model/identity.ts";
import { NO_MODEL } from "../model/model-choice.ts";
import { typedTarget } from "../model/place.ts";
import type { Session } from "../model/session.ts";
import { meaningOf } from "../model/session-mode.ts";
import { questionLine, todoLine } from "../model/session-state.ts";
import { todoListOf } from "../model/todo-list.ts";
import type { Turn } from "../model/turn.ts";
import { workLines } from "../model/work-state.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Command, CommandContext } from "./command.ts";
import { openElsewhere } from "./open-views.ts";
import { sessionName } from "./session-list.ts";
import { sayAgo } from "./words.ts";

/** How many messages are looked through for the to-do list. */
const LATEST = 500;

export const statusCommand: Command = {
  name: "status",
  description: "Show this session, what runs in it, and how the platforms are",
  category: "Info",
  aliases: [],
  argumentHint: "",
  forGuests: true,
  immediate: true,
  async run(place) {
    const session = await place.session();
    const parts = [
      session === null ? "No session yet: write a message to begin one." : await sessionStatus(place, session),
    ];
    // Only the operator may learn which other platforms are served.
    if (place.isOperator) parts.push(describeGateways(await place.store.gateways.alive(), place.clock.now()));
    return { reply: parts.join("\n\n") };
  },
};

async function sessionStatus(place: CommandContext, session: Session): Promise<string> {
  const { store, clock } = place;
  const [turn, handoff, questions, messages, kept] = await Promise.all([
    store.turns.running(session.id),
    handoffInFlight(store, session.id),
    store.approvals.open(session.id),
    store.transcripts.read(session.id, { limit: LATEST }),
    store.sessions.keptState(session.id),
  ]);
  const compaction = await store.compactions.latest(session.id);
  const sizes = `${count(session.messageCount, "message")}, ${count(session.toolCallCount, "tool call")}`;
  const lines = [`**${sessionName(session)}** (${sizes}, last used ${sayAgo(clock.now(), session.updatedAt)})`];
  // What is asked, where others are and how the work stands is no guest's to read.
  if (place.isGuest) return [...lines, `- ${turn === null ? "no turn is running" : "a turn is running"}`].join("\n");
  const model = place.modelOf?.(session) ?? session.model;
  if (model !== null) lines.push(model === NO_MODEL ? "- no model is set" : `- model: ${escapeMarkdown(model)}`);
  if (session.mode !== "default") lines.push(`- mode ${session.mode}: ${meaningOf(session.mode)}`);
  lines.push(`- ${turn === null ? "no turn is running" : await describeTurn(place, turn)}`);
  if (compaction !== null) {
    const when = sayAgo(clock.now(), compaction.createdAt);
    lines.push(`- compacted for the model ${when}: ${compactionSizes(compaction)}`);
  }
  if (place.isOperator) lines.push(...(await openElsewhere(place, session.id)).map((where) => `- open ${where}`));
  lines.push(...questions.map((question) => `- ${questionLine(question)}`));
  if (handoff !== null) {
    lines.push(`- being handed off to ${escapeMarkdown(typedTarget(handoff.to))}: ${handoff.step ?? handoff.state}`);
  }
  const away = place.isOperator ? await store.away.get(session.id) : null;
  if (away !== null) {
    const rests = `rests for ${durationText(away.restMs)}`;
    lines.push(`- goes to ${escapeMarkdown(typedTarget(away.to))} by itself when its terminal is left or ${rests}`);
  }
  const todo = todoListOf(messages);
  if (todo.length > 0) lines.push(`- ${todoLine(todo)}`);
  if (kept !== null) {
    const by = `${escapeMarkdown(kept.model)} said ${sayAgo(clock.now(), kept.at)}`;
    lines.push(`- where the work stands, as ${by}:`, ...workLines(kept).map((line) => `  - ${line}`));
  }
  return lines.join("\n");
}

async function describeTurn({ store, clock }: CommandContext, turn: Turn): Promise<string> {
  const where = escapeMarkdown(await lookUpPlace(store, turn.surface));
  const age = ageText(clock.now() - turn.startedAt);
  const waitsFor = {
    approval: "an answer",
    question: "an answer",
    handoff: "a handoff",
    offer: "a process to begin it",
  };
  const what = waitsFor[turn.waitsFor ?? "approval"];
  return turn.state === "waiting"
    ? `a turn ${where} has waited for ${what}, for ${age}`
    : `a turn has been running ${where}, for ${age}`;
}

function describeGateways(gateways: readonly GatewayRow[], now: number): string {
  if (gateways.length === 0) return "No gateway is running.";
  return gateways
    .map((gateway) => {
      const head = `Gateway (pid ${gateway.holder.pid}, for ${ageText(now - gateway.startedAt)})`;
      return [head, ...gateway.platforms.map((platform) => `- ${describePlatform(platform)}`)].join("\n");
    })
    .join("\n\n");
}

function describePlatform(platform: ServedPlatform): string {
  return escapeMarkdown(`${accountName(platform)}: ${platformState(platform).join(", ")}`);
}
