import type { EmulatedFile } from "@hermes/emulator";
import { plainText } from "#src/markup";
import { type Interactive, readButtons } from "./buttons.ts";
import { isPicture } from "./media.ts";
import { Refusal } from "./refusal.ts";
import type { Person, World } from "./world.ts";

/** A message that a business sends, as far as the emulator reads it ("Messages"). */
export interface SentMessage {
  readonly messaging_product?: unknown;
  readonly recipient_type?: unknown;
  readonly to?: unknown;
  readonly recipient?: unknown;
  readonly type?: unknown;
  readonly status?: unknown;
  readonly message_id?: unknown;
  readonly typing_indicator?: { readonly type?: unknown };
  readonly text?: { readonly body?: unknown };
  readonly document?: { readonly id?: unknown; readonly filename?: unknown; readonly caption?: unknown };
  readonly image?: { readonly id?: unknown; readonly caption?: unknown };
  readonly interactive?: Interactive;
  readonly template?: {
    readonly name?: unknown;
    readonly language?: { readonly code?: unknown };
    readonly components?: readonly {
      readonly type?: unknown;
      readonly parameters?: readonly { readonly text?: unknown }[];
    }[];
  };
  readonly biz_opaque_callback_data?: unknown;
}

/** What people read of a message. */
export interface ReadMessage {
  readonly text: string;
  readonly fileNames: readonly string[];
  readonly files?: readonly EmulatedFile[];
  /** Why it is reported as failed although it was taken. */
  readonly lateCode?: number;
  readonly isTemplate: boolean;
  /** The titles of its buttons. */
  readonly choices?: readonly string[];
}

/** "Messages": characters of a text, of a caption, and of what comes back with the statuses. */
const LONGEST_TEXT = 4_096;
const LONGEST_CAPTION = 1_024;
const LONGEST_CALLBACK_DATA = 512;

/** Whom a message is for: by number, or by the id that hides it; the number counts when both are there. */
export function addressIn({ to, recipient }: SentMessage): string {
  const address = to ?? recipient;
  if (typeof address !== "string" || address === "") throw new Refusal(131008, "The parameter to is required.");
  return address;
}

/** What the message says. Throws a Refusal for what Meta refuses at once. */
export function read(message: SentMessage, world: World): ReadMessage {
  if (message.messaging_product !== "whatsapp") throw new Refusal(100, "The parameter messaging_product is required.");
  if (message.recipient_type !== undefined && message.recipient_type !== "individual") {
    throw new Refusal(131051, "Groups are not emulated.");
  }
  if (String(message.biz_opaque_callback_data ?? "").length > LONGEST_CALLBACK_DATA) {
    throw new Refusal(100, `Param biz_opaque_callback_data must be at most ${LONGEST_CALLBACK_DATA} characters long.`);
  }
  switch (message.type) {
    case "text":
      return {
        text: plainText(checked("text['body']", message.text?.body, LONGEST_TEXT)),
        fileNames: [],
        isTemplate: false,
      };
    case "interactive":
      return { ...readButtons(message.interactive), fileNames: [], isTemplate: false };
    case "document":
      return readFile(message.document, "document", world);
    case "image":
      return readFile(message.image, "image", world);
    case "template":
      return readTemplate(message, world);
    default:
      throw new Refusal(131051, `Message type ${String(message.type)} is not currently supported.`);
  }
}

/** Free text is for those who wrote within the last 24 hours; a template is for everybody. */
export function isOutsideWindow({ isTemplate }: ReadMessage, person: Person): boolean {
  return !isTemplate && !person.isWindowOpen;
}

/** A file with its caption; a picture is shown, and has no name. */
function readFile(
  file: { readonly id?: unknown; readonly filename?: unknown; readonly caption?: unknown } | undefined,
  as: "document" | "image",
  world: World,
): ReadMessage {
  const media = world.media.get(String(file?.id));
  if (media === undefined) throw new Refusal(131009, "The media id is not valid.");
  const caption = file?.caption;
  const text = caption === undefined ? "" : plainText(checked(`${as}['caption']`, caption, LONGEST_CAPTION));
  const { mediaType, content } = media;
  const name = as === "image" ? media.name : String(file?.filename ?? media.name);
  const isShown = as === "image";
  const files = [{ name, mediaType, content, ...(isShown && { isPicture: true }) }];
  // Meta looks into a picture when it is sent.
  const late = isShown && !isPicture(media) ? { lateCode: 131053 } : {};
  return { text, fileNames: [name], files, isTemplate: false, ...late };
}

function readTemplate({ template }: SentMessage, world: World): ReadMessage {
  const { name, language, components = [] } = template ?? {};
  const known = world.templates.find((one) => one.name === name && one.language === language?.code);
  if (known === undefined) {
    throw new Refusal(132001, `template name (${String(name)}) does not exist in ${String(language?.code)}`);
  }
  const given = components.find(({ type }) => type === "body")?.parameters ?? [];
  const wanted = known.body.match(/\{\{\d+\}\}/g) ?? [];
  if (given.length !== wanted.length) {
    throw new Refusal(
      132000,
      `body: number of localizable_params (${given.length}) does not match the expected number of params (${wanted.length})`,
    );
  }
  const [text = ""] = given.map((parameter) => String(parameter.text ?? ""));
  if (/[\n\t]| {5,}/.test(text)) {
    throw new Refusal(132018, "Param text cannot have new-line/tab characters or more than 4 consecutive spaces");
  }
  return { text: known.body.replace("{{1}}", () => text), fileNames: [], isTemplate: true };
}

function checked(name: string, text: unknown, longest: number): string {
  if (typeof text !== "string" || text.trim() === "") throw new Refusal(131008, `The parameter ${name} is required.`);
  if (text.length > longest) throw new Refusal(100, `Param ${name} must be at most ${longest} characters long.`);
  return text;
}
