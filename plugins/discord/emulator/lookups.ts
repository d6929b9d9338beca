import type { ApiAnswer, ApiRoute } from "./api.ts";
import { applicationPayload, botUser, ownGuildPayload, ownMember, rolePayloads, userPayload } from "./payloads.ts";
import { refusal } from "./refusal.ts";
import { BOT, GUILD, PERSON, type World } from "./world.ts";

const ok = (value: unknown): ApiAnswer => ({ status: 200, value });

/** What the API tells of the bot, of people and of the server. */
export const LOOKUPS: readonly ApiRoute[] = [
  { method: "GET", path: "/users/@me", run: () => ok(botUser()) },
  { method: "GET", path: "/applications/@me", run: ({ world }) => ok(applicationPayload(world)) },
  { method: "GET", path: "/users/@me/guilds", run: ({ world }) => ok(world.isInServer ? [ownGuildPayload()] : []) },
  {
    method: "GET",
    path: "/users/:id",
    run: ({ world }, { ids: [id = ""] }) => {
      const name = world.people.get(id);
      if (name === undefined) throw refusal(10013);
      return ok(userPayload(id, name, false));
    },
  },
  {
    method: "GET",
    path: "/guilds/:id/roles",
    run: ({ world }, { ids: [id] }) => {
      checkServer(world, id);
      return ok(rolePayloads());
    },
  },
  {
    method: "GET",
    path: "/guilds/:id/members/:id",
    run: ({ world }, { ids: [id, member] }) => {
      checkServer(world, id);
      if (member === BOT.id) return ok(ownMember(world));
      if (member !== PERSON.id) throw refusal(10007);
      return ok({ user: userPayload(PERSON.id, PERSON.name, false), roles: [], deaf: false, mute: false, flags: 0 });
    },
  },
];

/** Throws for a server that the bot is not in. */
function checkServer(world: World, id: string | undefined): void {
  if (id !== GUILD.id || !world.isInServer) throw refusal(10004);
}
