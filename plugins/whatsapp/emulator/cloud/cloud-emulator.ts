import { randomInt } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import {
  type EmulatedChat,
  type EmulatedInbound,
  type EmulatedMessage,
  type EmulatedPerson,
  type EmulatedPlace,
  type EmulatedPress,
  type EmulatedRetraction,
  EmulatorBase,
  type EmulatorOptions,
} from "@hermes/emulator";
import { addressIn, isOutsideWindow, type ReadMessage, read, type SentMessage } from "./check-message.ts";
import { Deliveries, payloadOf } from "./deliveries.ts";
import { FAILURES } from "./failures.ts";
import { GraphApi } from "./graph-api.ts";
import { errorInStatus, Refusal } from "./refusal.ts";
import { WebhookLink } from "./webhook-link.ts";
import { BUSINESS, type EmulatedApp, type Person, World } from "./world.ts";
import { press, revoke, write, writeOther } from "./writing.ts";

/** What the emulator accepts. */
const SECRETS = {
  accessToken: "EAAemulated-token-of-no-account-0000000000",
  appSecret: "emulated-app-secret-00000000",
  verifyToken: "emulated-verify-token-0000",
} as const;

/** The chats that are there from the start: one with each person. */
export const CLOUD_CHATS = { ada: "491700000001", bob: "491700000002" } as const;

export interface CloudEmulatorOptions extends EmulatorOptions {
  /** Where the business's endpoint will listen; a port of the system's choosing when it is left out. */
  readonly webhookPort?: number;
}

/** Meta's Cloud API on this machine: the Graph API for a business number, and webhooks with proper signatures. */
export class WhatsAppCloudEmulator extends EmulatorBase {
  readonly platform = "whatsapp";
  /** What Meta knows, and its way to the business, for tests that need more than this class offers. */
  readonly world: World;
  readonly #api: GraphApi;
  readonly #webhook: { readonly host: string; readonly port: number; readonly path: string };
  readonly link: WebhookLink;
  readonly #messages: Deliveries;
  readonly #statuses: Deliveries;
  #lateCodes: number[] = [];
  #isWindowCheckedLate = false;

  private constructor(webhookPort: number, { clock }: CloudEmulatorOptions) {
    super({ clock, failures: FAILURES, secrets: Object.values(SECRETS) });
    this.world = new World(this.clock);
    this.world.add(CLOUD_CHATS.ada, "Ada");
    this.world.add(CLOUD_CHATS.bob, "Bob");
    this.#webhook = { host: "127.0.0.1", port: webhookPort, path: "/whatsapp" };
    const { host, port, path } = this.#webhook;
    this.world.app.callbackUrl = `http://${host}:${port}${path}`;
    this.link = new WebhookLink({ url: this.world.app.callbackUrl, ...SECRETS, script: this.script });
    this.#messages = new Deliveries(this.link, this.script, this.clock);
    this.#statuses = new Deliveries(this.link, null, this.clock);
    this.#api = new GraphApi({
      world: this.world,
      script: this.script,
      requests: this.requests,
      accessToken: SECRETS.accessToken,
      appSecret: SECRETS.appSecret,
      url: () => this.url,
      send: (message) => this.#send(message),
    });
  }

  static async start(options: CloudEmulatorOptions = {}): Promise<WhatsAppCloudEmulator> {
    return new WhatsAppCloudEmulator(options.webhookPort ?? (await freePort()), options).listen(options);
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#api.answer(request, response);
  }

  protected override disconnect(): void {
    this.link.cut();
    super.disconnect();
  }

  protected override stop(): void {
    this.#messages.close();
    this.#statuses.close();
    this.link.close();
  }

  get options(): {
    readonly transport: "cloud";
    readonly graphUrl: string;
    readonly phoneNumberId: string;
    readonly webhook: { readonly host: string; readonly port: number; readonly path: string };
  } & typeof SECRETS {
    const { phoneNumberId } = BUSINESS;
    return { transport: "cloud", graphUrl: `${this.url}/v25.0`, phoneNumberId, webhook: this.#webhook, ...SECRETS };
  }

  get chats(): readonly EmulatedChat[] {
    return this.world.people.map(({ number, name }) => ({
      id: number,
      name,
      kind: "dm",
      hasThreads: false,
      label: "chat",
    }));
  }

  get people(): readonly EmulatedPerson[] {
    return this.world.people.map(({ number, name }) => ({ id: number, name }));
  }

  get isConnected(): boolean {
    return this.link.isUp;
  }

  messages(chatId: string): readonly EmulatedMessage[] {
    return this.world.person(chatId).messages;
  }

  async receive(message: EmulatedInbound): Promise<{ readonly messageId: string }> {
    const { messageId, person, payload } = write(this.world, message);
    this.#messages.push(payload, person.userId);
    return { messageId };
  }

  retract({ chatId, messageId }: EmulatedRetraction): void {
    this.#messages.push(revoke(this.world, chatId, messageId), this.world.person(chatId).userId);
  }

  /** Taps a reply button. Those of a chat only its person sees, and they stay there however old they are. */
  async press(pressed: EmulatedPress): Promise<void> {
    this.#messages.push(press(this.world, pressed), this.world.person(pressed.chatId).userId);
  }

  async sendUnreadable({ chatId }: EmulatedPlace): Promise<{ readonly messageId: string }> {
    const { messageId, payload } = writeOther(this.world, chatId, { type: "order", order: { product_items: [] } });
    this.#messages.push(payload, this.world.person(chatId).userId);
    return { messageId };
  }

  /** What Meta says of the app, its token, its webhook and its number. */
  setApp(state: Partial<Omit<EmulatedApp, "id" | "name">>): void {
    Object.assign(this.world.app, state);
  }

  /** More than 24 hours have passed since the person wrote. `late`: the refusal comes as a status, after the send. */
  closeWindow(chatId: string, { late = false }: { readonly late?: boolean } = {}): void {
    this.world.person(chatId).isWindowOpen = false;
    this.#isWindowCheckedLate = late;
  }

  /** The next message is taken, and reported as failed with this code afterwards. */
  refuseLate(code = 131026): void {
    this.#lateCodes.push(code);
  }

  /** The person gets another number, and the business is told: once the change is made, from the number that was left. */
  changeNumber(chatId: string, number: string): void {
    const person = this.world.person(chatId);
    const from = person.number;
    person.number = number;
    this.#tellChange(person, {
      from,
      system: {
        type: "user_changed_number",
        body: `User ${person.name} changed from ${from} to ${number}`,
        wa_id: number,
        user_id: person.userId,
      },
    });
  }

  /** The person gets another id that hides the number, and the business is told. */
  changeUserId(chatId: string, userId: string): void {
    const person = this.world.person(chatId);
    const { userId: previous } = person;
    person.userId = userId;
    this.#tellChange(person, {
      system: { type: "user_changed_user_id", previous_user_id: previous, user_id: userId },
    });
  }

  /** A number is taken over by the person of another chat, and nobody is told. Who had it has `next` now. */
  passNumber(chatId: string, { to, next }: { readonly to: string; readonly next: string }): void {
    const person = this.world.person(chatId);
    this.world.person(to).number = person.number;
    person.number = next;
  }

  /** Delivers a webhook with proper signature that is as it is given. */
  deliver(field: string, value: object): void {
    this.#messages.push(payloadOf(field, value), field);
  }

  /** Reports a status of a message, as Meta does: in any order, and more than once. */
  report(messageId: string, status: string, code?: number): void {
    this.#report({ id: messageId, status, ...(code === undefined ? {} : { errors: [errorInStatus(code)] }) });
  }

  /** Takes a message, or refuses it. Whether a number is on WhatsApp shows only afterwards. */
  #send(message: SentMessage): { readonly id: string; readonly waId: string; readonly input: string } {
    const input = addressIn(message);
    const said = read(message, this.world);
    const person = this.world.find(input);
    const isOutside = person !== undefined && isOutsideWindow(said, person);
    if (isOutside && !this.#isWindowCheckedLate)
      throw new Refusal(131047, String(Object(errorInStatus(131047)).error_data.details));
    const waId = person?.number ?? input.replace(/^\+/, "");
    const id = this.world.newMessageId(waId);
    const key = message.biz_opaque_callback_data;
    const about = { id, recipient_id: waId, ...(key === undefined ? {} : { biz_opaque_callback_data: key }) };
    const late =
      this.#lateCodes.shift() ?? said.lateCode ?? (isOutside ? 131047 : person === undefined ? 131026 : undefined);
    if (late !== undefined) this.#report({ ...about, status: "failed", errors: [errorInStatus(late)] });
    else if (person) this.#arrive(person, { id, raw: message, ...said }, about);
    return { id, waId, input };
  }

  #arrive(
    person: Person,
    { isTemplate: _, ...shown }: ReadMessage & { readonly id: string; readonly raw: unknown },
    about: { readonly id: string },
  ): void {
    person.messages.push({ ...shown, author: "bot", isEdited: false });
    for (const status of ["sent", "delivered"]) this.#report({ ...about, status });
  }

  #report(status: { readonly id: string; readonly [field: string]: unknown }): void {
    const statuses = [{ timestamp: this.world.seconds(), ...status }];
    this.#statuses.push(payloadOf("messages", { statuses }), status.id);
  }

  #tellChange(person: Person, message: { readonly from?: string; readonly system: object }): void {
    const id = this.world.newMessageId(person.number);
    const told = [{ id, timestamp: this.world.seconds(), type: "system", ...message }];
    this.#messages.push(payloadOf("messages", { messages: told }), person.userId);
  }
}

/** Starts a Cloud API on this machine, with a business number and two people. */
export function startWhatsAppCloudEmulator(options: CloudEmulatorOptions = {}): Promise<WhatsAppCloudEmulator> {
  return WhatsAppCloudEmulator.start(options);
}

/** A port that is free, and that the system gives to no connection: Linux takes those above 32767. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once("error", () => done(false)).listen(port, "127.0.0.1", () => done(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
