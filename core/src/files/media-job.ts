import type { ModelFileType } from "./media-type.ts";
import type { PictureHeader, PictureType } from "./picture-header.ts";

/** The limits of a model's provider for one picture. */
export interface PictureLimits {
  /** Of the longer side, in pixels. */
  readonly side: number;
  readonly bytes: number;
  readonly types: readonly PictureType[];
}

export interface PictureJob extends PictureHeader {
  readonly kind: "picture";
  readonly content: Uint8Array;
  readonly limits: PictureLimits & { readonly type: PictureType };
}

/** What the thread that decodes files is asked to do. */
export type MediaJob = PictureJob | { readonly kind: "pdf"; readonly content: Uint8Array; readonly mostPages: number };

export type MediaResult =
  | { readonly content: Uint8Array; readonly mediaType: ModelFileType; readonly pages?: number }
  /** Why the file cannot be used, in words that follow its name. */
  | { readonly broken: string };
