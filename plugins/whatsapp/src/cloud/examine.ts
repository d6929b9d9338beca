import { createHmac, randomUUID } from "node:crypto";
import { type Examination, Findings, type PlatformError, type PluginSetupContext, shortName } from "@hermes/core";
import { asCloudOptions, type CloudOptions, type WhatsAppOptions } from "../config.ts";
import { linkTo, noteThreads, toId } from "../source.ts";
import { isProofWrong } from "./errors.ts";
import { GraphClient } from "./graph-client.ts";
import { checkHome } from "./home.ts";

/** The permissions that a token needs ("Access tokens guide"). */
const MAY_SEND = "whatsapp_business_messaging";
const MAY_MANAGE = "whatsapp_business_management";

const TOKEN_FOR_GOOD =
  "Generate a token of a system user that never expires: https://business.facebook.com/settings, Users, System users.";
const SECRET = "Copy it anew from the app's page: App settings, Basic, App secret.";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The timeout for a request back to this machine, in milliseconds. */
const PATIENCE_MS = 5_000;

interface App {
  readonly id: string;
  readonly name?: string;
}

/** A token, as `debug_token` returns it. */
interface TokenInfo {
  /** Seconds since 1970; 0 for one that never expires. */
  readonly expires_at?: number;
  readonly scopes?: readonly string[];
  /** The accounts that each permission holds for; missing if it is for all. */
  readonly granular_scopes?: readonly { readonly scope: string; readonly target_ids?: readonly string[] }[];
}

/** Checks the number, the token, the app and its webhook at Meta. Sends and changes nothing. */
export async function examineCloud(given: WhatsAppOptions, context: PluginSetupContext): Promise<Examination> {
  const found = new Findings();
  await new CloudExamination(found, asCloudOptions(given), context).run();
  return found.toExamination();
}

class CloudExamination {
  readonly #found: Findings;
  readonly #options: CloudOptions;
  readonly #context: PluginSetupContext;
  readonly #graph: GraphClient;

  constructor(found: Findings, options: CloudOptions, context: PluginSetupContext) {
    this.#found = found;
    this.#options = options;
    this.#context = context;
    this.#graph = new GraphClient(options);
  }

  async run(): Promise<void> {
    const number = await this.#ask(() => this.#examineNumber());
    // Without an answer about the number, the other checks get none either.
    if (number === null) return;
    const app = await this.#ask(() => this.#examineSecret());
    if (app !== null) {
      const token = await this.#ask(() => this.#examineToken(app));
      if (token !== null) await this.#ask(() => this.#examineSubscription(app, token));
    }
    await this.#examineWebhook();
    const { homeChannel } = this.#options;
    if (homeChannel === undefined) return;
    noteThreads(this.#found, homeChannel);
    await this.#ask(async () => {
      checkHome(toId(homeChannel.chatId), number);
      this.#found.ok(
        "Meta tells of no number whether it is on WhatsApp. The home channel has to write to the business number first, which may then write back for 24 hours.",
      );
    });
  }

  /** Returns the number. */
  async #examineNumber(): Promise<string> {
    const { phoneNumberId } = this.#options;
    const {
      display_phone_number: shown = "",
      verified_name: name = "",
      quality_rating: quality,
    } = await this.#get<{
      readonly display_phone_number?: string;
      readonly verified_name?: string;
      readonly quality_rating?: string;
    }>(`${phoneNumberId}?fields=display_phone_number,verified_name,quality_rating`);
    const number = toId(shown);
    const link = linkTo(number);
    this.#found.account = {
      id: phoneNumberId,
      name: [shortName(name), shown].filter((part) => part !== "").join(", "),
      ...(link === undefined ? {} : { link }),
    };
    this.#found.ok(`Meta knows the number: ${this.#found.account.name}.`);
    if (quality === "RED" || quality === "YELLOW") {
      const rated = `Meta rates the number's quality ${quality === "RED" ? "low" : "medium"}, and may limit it.`;
      this.#found.warning(rated, "The WhatsApp Manager says why: people block or report it.");
    }
    return number;
  }

  /** Checks the app's secret: Meta refuses a proof that was made with another app's ("appsecret_proof"). */
  async #examineSecret(): Promise<App> {
    const { accessToken, appSecret } = this.#options;
    const proof = createHmac("sha256", appSecret).update(accessToken).digest("hex");
    const app = await this.#get<App>(`app?fields=id,name&appsecret_proof=${proof}`);
    this.#found.ok(`The app's secret fits the token's app${app.name === undefined ? "" : `, ${shortName(app.name)}`}.`);
    return app;
  }

  async #examineToken({ id }: App): Promise<TokenInfo> {
    const { graphUrl, accessToken, appSecret } = this.#options;
    // Only the app itself may query its tokens.
    const asApp = new GraphClient({ graphUrl, accessToken: `${id}|${appSecret}` });
    const { data: token = {} } = await asApp.call<{ readonly data?: TokenInfo }>({
      path: `debug_token?input_token=${encodeURIComponent(accessToken)}`,
      signal: this.#context.signal,
    });
    const endsAt = (token.expires_at ?? 0) * 1_000;
    const leftMs = endsAt - this.#context.clock.now();
    if (endsAt === 0) this.#found.ok("The token never expires.");
    else {
      const at = `${new Date(endsAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
      const soon = leftMs <= DAY_MS ? ": it is one of those for a day, for trying things out" : "";
      this.#found.warning(`The token expires at ${at}${soon}.`, TOKEN_FOR_GOOD);
    }
    const { scopes } = token;
    if (scopes !== undefined && !scopes.includes(MAY_SEND)) {
      const hint = `Generate it anew with the permissions \`${MAY_SEND}\` and \`${MAY_MANAGE}\`.`;
      this.#found.problem(`The token lacks the permission \`${MAY_SEND}\`.`, hint);
    }
    return token;
  }

  /** Checks that the app is subscribed to the account of the number. */
  async #examineSubscription(app: App, { granular_scopes: granted = [] }: TokenInfo): Promise<void> {
    const accounts = granted.find(({ scope }) => scope === MAY_MANAGE)?.target_ids ?? [];
    // Without the permission, or with one for all accounts, the account is unknown.
    const [account, ...more] = accounts;
    if (account === undefined || more.length > 0) return;
    const { data = [] } = await this.#get<{
      readonly data?: readonly { readonly whatsapp_business_api_data?: { readonly id?: string } }[];
    }>(`${account}/subscribed_apps`);
    if (data.some(({ whatsapp_business_api_data: subscribed }) => subscribed?.id === app.id)) {
      this.#found.ok("The app is subscribed to the WhatsApp account.");
    } else {
      this.#found.problem(
        "The app is not subscribed to the WhatsApp account, so no message reaches it.",
        "In the app, open WhatsApp, Configuration; verify and save the callback URL, and subscribe to the field `messages`.",
      );
    }
  }

  /** Checks that Meta's callback URL leads to the gateway. If none runs, only reports the URL. */
  async #examineWebhook(): Promise<void> {
    const { host, port, path } = this.#options.webhook;
    const local = `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
    const here = await this.#shakeHands(local);
    if (here === "other") {
      const message = `What answers at ${local} is not Hermes' webhook, or knows another word than \`verifyToken\`.`;
      this.#found.problem(message, "End that program, or set `webhook.port` to another; or restart the gateway.");
      return;
    }
    const url = await this.#callbackUrl();
    if (this.#context.signal.aborted) return;
    const enter = `Let a reverse proxy or tunnel with TLS lead to ${local}; in the app, open WhatsApp, Configuration, enter its public address with ${path} behind it and the word of \`verifyToken\`, and subscribe to \`messages\`.`;
    if (url === null) this.#found.warning("Meta tells of no callback URL, to which it sends what people write.", enter);
    else if (here === "nothing") {
      this.#found.ok(`Meta sends what people write to ${url}. Whether that leads here shows while a gateway runs.`);
    } else if ((await this.#shakeHands(url)) === "hermes") {
      this.#found.ok(`Meta sends what people write to ${url}, which leads to the gateway.`);
    } else {
      this.#found.warning(
        `Meta sends what people write to ${url}, which does not lead to the gateway from here.`,
        enter,
      );
    }
  }

  /** The URL that counts: the number's, else the account's, else the app's ("Webhooks › Overrides"). */
  async #callbackUrl(): Promise<string | null> {
    const path = `${this.#options.phoneNumberId}?fields=webhook_configuration`;
    const { webhook_configuration: urls = {} } = await this.#get<{
      readonly webhook_configuration?: Readonly<Record<string, string>>;
    }>(path).catch(() => ({ webhook_configuration: {} }));
    const { phone_number: number, whatsapp_business_account: account, application }: Record<string, string> = urls;
    return number ?? account ?? application ?? null;
  }

  /** Sends the request that Meta sends when a callback URL is entered ("Webhooks › Verification requests"). */
  async #shakeHands(address: string): Promise<"hermes" | "other" | "nothing"> {
    const url = new URL(address);
    const challenge = randomUUID();
    url.searchParams.set("hub.mode", "subscribe");
    url.searchParams.set("hub.verify_token", this.#options.verifyToken);
    url.searchParams.set("hub.challenge", challenge);
    const signal = AbortSignal.any([this.#context.signal, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      const response = await fetch(url, { signal, redirect: "error" });
      return (await response.text()) === challenge ? "hermes" : "other";
    } catch {
      return "nothing";
    }
  }

  #get<T>(path: string): Promise<T> {
    return this.#graph.call<T>({ path, signal: this.#context.signal });
  }

  /** Calls Meta; null on an error, which is then among the findings. */
  async #ask<T>(question: () => Promise<T>): Promise<T | null> {
    // The token has expired, and a finding says so already.
    if (this.#context.signal.aborted) return null;
    let answer: T | null = null;
    await this.#found.during(async () => {
      try {
        answer = await question();
      } catch (error) {
        const known = this.#knownProblem(error as PlatformError);
        if (known === null) throw error;
        this.#found.problem(...known);
      }
    });
    return answer;
  }

  #knownProblem(error: PlatformError): readonly [message: string, hint: string] | null {
    if (isProofWrong(error)) return ["`appSecret` is not the secret of the app that the token is of.", SECRET];
    if (error.code !== "PLATFORM_UNAUTHORISED") return null;
    return ["Meta does not accept `accessToken`: it is wrong, has expired, or was revoked.", TOKEN_FOR_GOOD];
  }
}
