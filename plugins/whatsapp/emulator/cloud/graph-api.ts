import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  answerCall,
  clientOf,
  type FailureScript,
  type FailureWords,
  playCall,
  type RequestBody,
  type RequestLog,
  readBody,
} from "@hermes/emulator";
import { AppApi } from "./app-api.ts";
import type { SentMessage } from "./check-message.ts";
import { LARGEST_DOCUMENT, uploaded } from "./media.ts";
import { isKnownCode, Refusal } from "./refusal.ts";
import { BUSINESS, type EmulatedCommand, type World } from "./world.ts";

export interface GraphApiParts {
  readonly world: World;
  readonly script: FailureScript;
  readonly accessToken: string;
  readonly appSecret: string;
  readonly requests: RequestLog;
  readonly url: () => string;
  /** Takes a message. Returns its id; throws a Refusal. */
  readonly send: (message: SentMessage) => { readonly id: string; readonly waId: string; readonly input: string };
}

export interface Call {
  /** As the log has it, and what failures are told by. */
  readonly names: readonly string[];
  run(): unknown;
}

const WORDS: FailureWords = {
  rateLimit: (retryAfterMs) => new Refusal(130429, undefined, { retryAfterMs }),
  refuse: (code) => new Refusal(isKnownCode(Number(code)) ? Number(code) : 131000),
  break: () => new Refusal(131016),
  breakAfter: () => new Refusal(131000),
};

/** The Graph API as far as a business number needs it. */
export class GraphApi {
  readonly #parts: GraphApiParts;

  readonly #app: AppApi;

  constructor(parts: GraphApiParts) {
    this.#parts = parts;
    this.#app = new AppApi(parts);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = clientOf(response);
    const body = await readBody(request, { maxBytes: 2 * LARGEST_DOCUMENT });
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://graph");
    const path = pathname.replace(/^\/v\d+\.\d+(?=\/)/, "");
    const { script, requests } = this.#parts;
    const bearer = request.headers.authorization?.replace(/^Bearer /, "");
    const call =
      this.#app.callFor(request.method ?? "GET", path, query, bearer) ??
      this.#callFor(request.method ?? "GET", path, body, query);
    const status = await answerCall(response, async () => {
      this.#app.checkToken(bearer, query);
      if (call === null) throw new Refusal(100, `Unknown path components: ${path}`);
      const failure = script.take("connect") ?? script.take(...call.names);
      const result = await playCall(failure, { script, client, words: WORDS }, () => call.run());
      if (!Buffer.isBuffer(result)) return result;
      response.writeHead(200, { "content-type": "text/plain" }).end(result);
    });
    requests.add(call?.names.at(-1) ?? path, body.value, status);
  }

  #callFor(method: string, path: string, form: RequestBody, query: URLSearchParams): Call | null {
    const { world } = this.#parts;
    const { value } = form;
    const [, id = "", edge = ""] = path.split("/");
    const named = (name: string, operation: string, run: () => unknown): Call => ({ names: [operation, name], run });
    if (id === "emulated-media")
      return named("GET media content", "download", () => world.media.get(edge)?.content ?? notThere(edge));
    const media = world.media.get(id);
    if (method === "GET" && media) {
      const sha256 = createHash("sha256").update(media.content).digest("hex");
      const url = `${this.#parts.url()}/emulated-media/${id}`;
      const about = { id, url, mime_type: media.mediaType, sha256, file_size: media.content.length };
      return named("GET media", "media", () => ({ messaging_product: "whatsapp", ...about }));
    }
    if (id !== BUSINESS.phoneNumberId) return named(`${method} ${path}`, "unknown", () => notThere(id));
    const body = Object(value) as SentMessage & { readonly commands?: readonly EmulatedCommand[] };
    switch (`${method} ${edge}`) {
      case "GET ":
        return named("GET phone number", "home", () => this.#app.phoneNumber(query));
      case "POST messages":
        return body.status === "read"
          ? named("POST messages (read)", "typing", () => this.#read(body))
          : named("POST messages", "send", () => this.#send(body));
      case "POST media":
        return named("POST media", "upload", () => this.#upload(form));
      case "POST conversational_automation":
        return named("POST conversational_automation", "commands", () => this.#setCommands(body.commands ?? []));
      default:
        return null;
    }
  }

  #send(body: SentMessage): object {
    const { id, waId, input } = this.#parts.send(body);
    return { messaging_product: "whatsapp", contacts: [{ input, wa_id: waId }], messages: [{ id }] };
  }

  #read({ message_id: messageId, typing_indicator: typing }: SentMessage): object {
    const isKnown = this.#parts.world.people.some(({ messages }) =>
      messages.some(({ id, author }) => id === messageId && author !== "bot"),
    );
    if (!isKnown) throw new Refusal(131009, "The message id is not valid.");
    if (typing !== undefined && typing.type !== "text") throw new Refusal(100, "Param typing_indicator is not valid.");
    return { success: true };
  }

  #upload(form: RequestBody): object {
    return { id: this.#parts.world.addMedia(uploaded(form)).id };
  }

  #setCommands(commands: readonly EmulatedCommand[]): object {
    if (commands.length > 30) throw new Refusal(100, "At most 30 commands.");
    for (const { command_name: name, command_description: description } of commands) {
      if (name.length > 32 || description.length > 256) throw new Refusal(100, "A command is too long.");
    }
    this.#parts.world.commands = commands;
    return { success: true };
  }
}

function notThere(id: string): never {
  throw new Refusal(
    100,
    `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    { subcode: 33 },
  );
}
