import { type Attachment, decodeText, isTextFile } from "@hermes/core";
import type { Message } from "grammy/types";

/** Gets a file by its id; null when it cannot be had, or is larger than a text may be. */
export type Download = (fileId: string) => Promise<Uint8Array | null>;

interface NamedFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
}

/** The files of a message: the text of text files, and of others what they are called. */
export async function attachmentsOf(message: Message, download: Download): Promise<Attachment[]> {
  return Promise.all(filesOf(message).map((file) => toAttachment(file, download)));
}

async function toAttachment({ id, name, mediaType, size }: NamedFile, download: Download): Promise<Attachment> {
  const named: Attachment = { name, mediaType, size };
  if (!isTextFile(named)) return named;
  const content = await download(id);
  const text = content && decodeText(content);
  return text === null ? named : { ...named, text };
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
