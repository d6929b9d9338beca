import { BUTTON, type Button } from "./components.ts";
import { messagePayload, userPayload } from "./payloads.ts";
import { invalidField, refusal } from "./refusal.ts";
import { BOT_RIGHTS } from "./rights.ts";
import { BOT, type ChannelRecord, type MessageRecord, type World } from "./world.ts";

/** How the client answered an interaction. */
export interface InteractionAnswer {
  readonly interactionId: string;
  /** Interaction callback types (API reference, "Interaction Callback Type"). */
  readonly type: number;
  readonly data: unknown;
  isRemoved: boolean;
}

interface Command {
  readonly name: string;
  readonly description: string;
  readonly options: readonly { readonly name: string; readonly type: number }[];
}

const COMMAND_NAME = /^[-_\p{L}\p{N}]{1,32}$/u;
const STRING_OPTION = 3;
const APPLICATION_COMMAND = 2;
const MESSAGE_COMPONENT = 3;

/** Without an answer within this time an interaction has failed, in milliseconds. */
const ANSWERED_WITHIN_MS = 3_000;

/** Types of answers ("Interaction Callback Type"): to anything, and to a press alone. */
const ANSWERS: Readonly<Record<number, readonly number[]>> = {
  [APPLICATION_COMMAND]: [4, 5, 9],
  [MESSAGE_COMPONENT]: [4, 5, 6, 7, 9],
};

interface Person {
  readonly id: string;
  readonly name: string;
}

interface OpenInteraction {
  readonly type: number;
  /** Its secret. */
  readonly token: string;
  readonly at: number;
}

/** Slash commands and presses: which commands are registered, and what becomes of each that a person runs or presses. */
export class Interactions {
  readonly #world: World;
  readonly answers: InteractionAnswer[] = [];
  readonly #open = new Map<string, OpenInteraction>();
  #commands: readonly Command[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get commands(): readonly Command[] {
    return this.#commands;
  }

  /** "Bulk Overwrite Global Application Commands". */
  register(value: unknown): readonly unknown[] {
    if (!Array.isArray(value)) throw invalidField("commands", "LIST_TYPE_CONVERT", "Only iterables may be used.");
    const commands = value.map(checkedCommand);
    if (new Set(commands.map(({ name }) => name)).size < commands.length) {
      throw invalidField("name", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique");
    }
    this.#commands = commands;
    return commands.map((command) => ({ ...command, id: this.#world.nextId(), type: 1 }));
  }

  /** What a person types as a command; null when it is none that is registered. */
  start(channel: ChannelRecord, person: Person, text: string): Record<string, unknown> | null {
    const [, name = "", argument = ""] = /^\/([^\s]+)\s*([\s\S]*)$/.exec(text) ?? [];
    const command = this.#commands.find((one) => one.name === name);
    if (!command) return null;
    const [option] = command.options;
    const payload = this.#begin(channel, person, APPLICATION_COMMAND);
    const options =
      option && argument.trim() ? [{ name: option.name, type: STRING_OPTION, value: argument.trim() }] : [];
    return { ...payload, data: { id: payload.id, name, type: 1, options } };
  }

  /** What a person presses. */
  press(
    { channel, message, baseUrl }: { channel: ChannelRecord; message: MessageRecord; baseUrl: string },
    person: Person,
    button: Button,
  ): Record<string, unknown> {
    return {
      ...this.#begin(channel, person, MESSAGE_COMPONENT),
      data: { component_type: BUTTON, custom_id: button.custom_id },
      message: messagePayload(channel, message, baseUrl),
    };
  }

  #begin(channel: ChannelRecord, person: Person, type: number): Record<string, unknown> {
    const id = this.#world.nextId();
    const token = `interaction-secret-${id}`;
    this.#open.set(id, { type, token, at: this.#world.clock.now() });
    const user = userPayload(person.id, person.name, false);
    return {
      id,
      token,
      type,
      version: 1,
      application_id: BOT.applicationId,
      locale: "en-US",
      app_permissions: String(BOT_RIGHTS),
      entitlements: [],
      authorizing_integration_owners: {},
      context: channel.guildId === null ? 1 : 0,
      attachment_size_limit: 10 * 1024 * 1024,
      channel_id: channel.id,
      channel: { id: channel.id, type: channel.type, name: channel.name, parent_id: channel.parentId },
      ...(channel.guildId === null
        ? { user }
        : { guild_id: channel.guildId, member: { user, roles: [], permissions: "0" } }),
    };
  }

  /** "Create Interaction Response". */
  answer(id: string, token: string, value: unknown): void {
    const open = this.#open.get(id);
    if (open?.token !== token) throw refusal(10062);
    if (this.answers.some(({ interactionId }) => interactionId === id)) throw refusal(40060);
    if (this.#world.clock.now() - open.at > ANSWERED_WITHIN_MS) throw refusal(10062);
    const { type, data } = Object(value) as { type?: unknown; data?: unknown };
    if (!ANSWERS[open.type]?.includes(Number(type))) {
      throw invalidField("type", "BASE_TYPE_CHOICES", `Value must be one of {${ANSWERS[open.type]?.join(", ")}}.`);
    }
    this.answers.push({ interactionId: id, type: Number(type), data, isRemoved: false });
  }

  /** "Delete Original Interaction Response". */
  removeAnswer(token: string): void {
    this.#answerTo(token).isRemoved = true;
  }

  /** "Edit Original Interaction Response". */
  editAnswer(token: string, data: unknown): unknown {
    const answer = this.#answerTo(token);
    const index = this.answers.indexOf(answer);
    this.answers[index] = { ...answer, data };
    return data;
  }

  #answerTo(token: string): InteractionAnswer {
    const [id] = [...this.#open].find(([, open]) => open.token === token) ?? [];
    const answer = this.answers.find((one) => one.interactionId === id && !one.isRemoved);
    if (!answer) throw refusal(10008);
    return answer;
  }
}

function checkedCommand(value: unknown): Command {
  const { name, description, options = [] } = Object(value) as Partial<Command>;
  if (typeof name !== "string" || !COMMAND_NAME.test(name) || name !== name.toLowerCase()) {
    throw invalidField("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
  }
  if (typeof description !== "string" || description.length < 1 || description.length > 100) {
    throw invalidField("description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
  }
  return { name, description, options };
}
