import { type Attachment, readAttachment } from "@hermes/core";
import type { Message } from "grammy/types";
import { type Bot, toApiSignal } from "./bot-api.ts";
import { toPlatformError } from "./errors.ts";

interface NamedFile extends Attachment {
  readonly id: string;
}

/** The files of a message: the text of text files, and of others what they are called. */
export function attachmentsOf(message: Message, bot: Bot): Promise<Attachment[]> {
  return Promise.all(
    filesOf(message).map(({ id, ...named }) => readAttachment(named, bot.logger, (until) => download(bot, id, until))),
  );
}

/** "getFile". The address of a file has the token in it, so no error of it is passed on. */
async function download(bot: Bot, fileId: string, signal: AbortSignal): Promise<Response | null> {
  const { token, apiRoot } = bot.options;
  try {
    const { file_path: path } = await bot.api.getFile(fileId, toApiSignal(signal));
    return path === undefined ? null : await fetch(`${apiRoot}/file/bot${token}/${path}`, { signal });
  } catch (error) {
    throw toPlatformError(error);
  }
}

function filesOf(message: Message): NamedFile[] {
  const { document, photo, audio, video, voice, video_note: videoNote, animation } = message;
  const named = (
    file: { readonly file_id: string; readonly file_size?: number } | undefined,
    name: string,
    mediaType: string,
  ): NamedFile[] => (file ? [{ id: file.file_id, name, mediaType, size: file.file_size ?? 0 }] : []);
  return [
    // An animation comes as a document, too.
    ...(animation
      ? []
      : named(document, document?.file_name ?? "file", document?.mime_type ?? "application/octet-stream")),
    ...named(animation, animation?.file_name ?? "animation.mp4", animation?.mime_type ?? "video/mp4"),
    // The largest size comes last.
    ...named(photo?.at(-1), "photo.jpg", "image/jpeg"),
    ...named(audio, audio?.file_name ?? "audio.mp3", audio?.mime_type ?? "audio/mpeg"),
    ...named(video, video?.file_name ?? "video.mp4", video?.mime_type ?? "video/mp4"),
    ...named(voice, "voice.ogg", voice?.mime_type ?? "audio/ogg"),
    ...named(videoNote, "video-note.mp4", "video/mp4"),
  ];
}
