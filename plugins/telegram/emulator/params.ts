import type { RequestBody, UploadedFile } from "@hermes/emulator";
import { badRequest } from "./refusal.ts";
import type { WireEntity } from "./wire.ts";

/** The parameters of a call: JSON, or a form whose values are strings of JSON ("Making requests"). */
export class Params {
  readonly values: Readonly<Record<string, unknown>>;
  readonly #files: readonly UploadedFile[];

  constructor({ value, files }: RequestBody) {
    this.values = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
    this.#files = files;
  }

  text(name: string): string {
    const value = this.values[name];
    return typeof value === "string" ? value : "";
  }

  number(name: string): number | undefined {
    const value = this.values[name];
    if (value === undefined || value === null || value === "") return undefined;
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw badRequest(`field "${name}" must be a valid Number`);
    return number;
  }

  /** The id of a chat; none for what is no number, and so no chat that is known here. */
  chatId(): number | undefined {
    const id = Number(this.values.chat_id);
    return Number.isSafeInteger(id) ? id : undefined;
  }

  /** A list, which stands in a form as JSON. */
  list<T>(name: string): readonly T[] {
    const list = this.#parsed(name);
    return Array.isArray(list) ? (list as T[]) : [];
  }

  /** An object, which stands in a form as JSON; one without fields where there is none. */
  object(name: string): Readonly<Record<string, unknown>> {
    return Object(this.#parsed(name) ?? {});
  }

  #parsed(name: string): unknown {
    const value = this.values[name];
    return typeof value === "string" ? parse(name, value) : value;
  }

  entities(name: string): readonly WireEntity[] {
    return this.list<WireEntity>(name);
  }

  /** A file that came along: the field holds it, or names the part that does. */
  file(name: string): UploadedFile | undefined {
    const part = this.text(name).replace(/^attach:\/\//, "") || name;
    return this.#files.find(({ field }) => field === part || field === name);
  }
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(`can't parse ${name} JSON object`);
  }
}
