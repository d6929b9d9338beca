import type { CommandContext } from "../../command/command.ts";
import { openHere } from "../../command/find-approval.ts";
import { offeredCommands } from "../../command/registry.ts";
import { listedSessions } from "../../command/session-list.ts";
import { typedPlaces } from "../../handoff/resolve-place.ts";
import { SESSION_MODES } from "../../model/session-mode.ts";

/**
 * What a line that was begun may become: command names, titles behind /resume, and behind /handoff the places that are
 * known; with the platforms of the config, `configured`, where no gateway runs yet.
 */
export async function completeLine(
  line: string,
  place: CommandContext,
  configured: readonly string[],
): Promise<readonly string[]> {
  if (!line.startsWith("/")) return [];
  const space = line.indexOf(" ");
  const name = line.slice(1, space < 0 ? undefined : space).toLowerCase();
  const candidates = space < 0 ? commandNames(place) : await argumentsOf(name, place, configured);
  const begun = space < 0 ? `/${name}` : line;
  const wanted = begun.toLowerCase();
  const starting = candidates.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  if (starting.length > 0 || space < 0) return starting;
  // A title may be known by a word within it.
  const part = wanted.slice(space + 1).trim();
  return part === ""
    ? []
    : candidates.filter((candidate) =>
        candidate
          .slice(space + 1)
          .toLowerCase()
          .includes(part),
      );
}

function commandNames(place: CommandContext): string[] {
  return offeredCommands(place).map(({ name, argumentHint }) => (argumentHint === "" ? `/${name}` : `/${name} `));
}

async function argumentsOf(name: string, place: CommandContext, configured: readonly string[]): Promise<string[]> {
  const { store, visible } = place;
  if (name === "resume") {
    const sessions = await listedSessions(store, visible);
    return [...new Set(sessions.flatMap(({ title }) => (title === null ? [] : [`/resume ${title}`])))];
  }
  if (name === "mode") return SESSION_MODES.map((mode) => `/mode ${mode}`);
  if (name === "approve" || name === "deny") {
    const open = await openHere(place);
    return open.map(({ code }) => `/${name} ${code}`);
  }
  if (name === "handoff" || name === "away") {
    const isServed = (await store.gateways.alive()).length > 0;
    const places = await typedPlaces(store);
    return [...new Set([...(isServed ? [] : configured), ...places])].map((typed) => `/${name} ${typed}`);
  }
  return [];
}
