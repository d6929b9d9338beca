import { createHmac } from "node:crypto";
import type { Call } from "./graph-api.ts";
import { Refusal } from "./refusal.ts";
import { BUSINESS, type World } from "./world.ts";

export interface AppApiParts {
  readonly world: World;
  readonly accessToken: string;
  readonly appSecret: string;
}

/** What the Graph API tells of the app, its token, its subscription, and the number's own fields. */
export class AppApi {
  readonly #parts: AppApiParts;

  constructor(parts: AppApiParts) {
    this.#parts = parts;
  }

  /** Throws a Refusal for a wrong token, and for a proof that another secret made ("Secure Graph API calls"). */
  checkToken(bearer: string | undefined, query: URLSearchParams): void {
    const { accessToken, appSecret } = this.#parts;
    if (bearer !== accessToken && bearer !== this.#appToken) throw new Refusal(190);
    const proof = query.get("appsecret_proof");
    if (proof === null || proof === createHmac("sha256", appSecret).update(bearer).digest("hex")) return;
    throw new Refusal(100, undefined, { message: "Invalid appsecret_proof provided in the API argument" });
  }

  /** The fields of the number that are asked for; those two where none are. */
  phoneNumber(query: URLSearchParams): object {
    const { quality, callbackUrl } = this.#parts.world.app;
    return picked(query.get("fields") ?? "display_phone_number,verified_name", {
      id: BUSINESS.phoneNumberId,
      display_phone_number: "+1 555-078-3881",
      verified_name: "Hermes",
      quality_rating: quality,
      ...(callbackUrl === null ? {} : { webhook_configuration: { application: callbackUrl } }),
    });
  }

  /** Null for what is none of the app's. */
  callFor(method: string, path: string, query: URLSearchParams, bearer: string | undefined): Call | null {
    const { app } = this.#parts.world;
    const { id, name } = app;
    switch (`${method} ${path}`) {
      case "GET /app":
        return { names: ["GET app"], run: () => picked(query.get("fields") ?? "name", { id, name }) };
      case "GET /debug_token":
        return { names: ["GET debug_token"], run: () => this.#debug(query.get("input_token"), bearer) };
      case `GET /${BUSINESS.accountId}/subscribed_apps`: {
        const data = { whatsapp_business_api_data: { link: "https://example.org/", name, id } };
        return { names: ["GET subscribed_apps"], run: () => ({ data: app.isSubscribed ? [data] : [] }) };
      }
      default:
        return null;
    }
  }

  /** "debug_token": only the app, and those who have a role in it, may ask. */
  #debug(token: string | null, bearer: string | undefined): object {
    if (bearer !== this.#appToken) {
      throw new Refusal(100, undefined, {
        message:
          "(#100) You must provide an app access token, or a user access token that is an owner or developer of the app",
      });
    }
    const { accessToken, world } = this.#parts;
    if (token !== accessToken) {
      const error = { code: 190, message: "Invalid OAuth access token." };
      return { data: { is_valid: false, scopes: [], error } };
    }
    const { id, name, tokenExpiresAt, scopes } = world.app;
    const granular = scopes.map((scope) => ({ scope, target_ids: [BUSINESS.accountId] }));
    const about = { app_id: id, type: "SYSTEM_USER", application: name, is_valid: true, user_id: "10221" };
    return { data: { ...about, expires_at: tokenExpiresAt, scopes, granular_scopes: granular } };
  }

  get #appToken(): string {
    return `${this.#parts.world.app.id}|${this.#parts.appSecret}`;
  }
}

/** The Graph API answers with the fields that are asked for, and with the id. */
function picked(fields: string, all: { readonly id: string; readonly [field: string]: unknown }): object {
  const wanted = new Set(["id", ...fields.split(",")]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(name)));
}
