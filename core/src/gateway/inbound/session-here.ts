import type { CommandContext } from "../../command/command.ts";
import { mayUseMode, modeAt } from "../../command/mode.ts";
import { mayChooseModel } from "../../command/model.ts";
import { mayStop } from "../../command/stop.ts";
import { NO_MODEL } from "../../model/model-choice.ts";
import type { Session } from "../../model/session.ts";
import { meaningOf, SESSION_MODES } from "../../model/session-mode.ts";
import { sentTokens } from "../../model/usage.ts";
import { costText, usageText } from "../../model/usage-text.ts";
import type { SessionHere, SessionWindow } from "../../plugin/visible-sessions.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";

/** How things stand at a place, with what whoever is there may change. */
export async function sessionHere(
  place: CommandContext,
  session: Session | null,
  elsewhere: readonly string[],
): Promise<SessionHere> {
  const { store, models } = place;
  const mayChoose = models !== undefined && mayChooseModel(place, session);
  const turn = session && (await store.turns.running(session.id));
  const answers = (session && place.modelOf?.(session)) ?? models?.usual ?? null;
  return {
    id: session?.id ?? null,
    title: session?.title ?? null,
    model: session?.model ?? (answers === NO_MODEL ? null : answers),
    isOwnModel: session?.model != null,
    models: mayChoose ? models.named : [],
    mayChooseModel: mayChoose,
    mode: await modeAt(place),
    modes: SESSION_MODES.map((mode) => ({
      ...{ mode, meaning: meaningOf(mode) },
      isAllowed: mayUseMode(place, session, mode),
    })),
    window: session && (await windowOf(place, session)),
    usage: session && (await usageOf(place, session)),
    turn: turn && {
      state: turn.state === "waiting" ? "waiting" : "running",
      place: await lookUpPlace(store, turn.surface),
      startedAt: turn.startedAt,
    },
    mayStop: session !== null && turn !== null && (await mayStop(place, session)),
    elsewhere,
  };
}

async function windowOf(place: CommandContext, { id }: Session): Promise<SessionWindow | null> {
  const last = await place.store.usage.lastOf(id);
  if (last === null) return null;
  return { sent: sentTokens(last), of: place.windowOf?.(last.model) ?? null, isEstimated: last.isEstimated };
}

async function usageOf({ store }: CommandContext, { id }: Session): Promise<SessionHere["usage"]> {
  const sum = await store.usage.sum({ session: id });
  return { cost: costText(sum), text: usageText(sum) };
}
