/** The objects of the Bot API ("Available types") that the emulator speaks in, as far as it uses them. */

export interface WireUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username?: string;
}

export interface WireChat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup" | "channel";
  readonly title?: string;
  readonly first_name?: string;
  readonly username?: string;
  readonly is_forum?: true;
}

/** Offsets and lengths in UTF-16 units. */
export interface WireEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly user?: WireUser;
}

interface WireButton {
  readonly text: string;
  readonly callback_data: string;
  readonly style?: string;
}

/** Rows of buttons. */
export type WireKeyboard = readonly (readonly WireButton[])[];

export interface WireDocument {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_name: string;
  readonly mime_type: string;
  readonly file_size: number;
}

export interface WireMessage {
  readonly message_id: number;
  readonly message_thread_id?: number;
  readonly is_topic_message?: true;
  readonly from?: WireUser;
  readonly sender_chat?: WireChat;
  /** Seconds since 1970. */
  readonly date: number;
  readonly edit_date?: number;
  readonly chat: WireChat;
  readonly reply_to_message?: WireMessage;
  readonly text?: string;
  readonly entities?: readonly WireEntity[];
  readonly caption?: string;
  readonly caption_entities?: readonly WireEntity[];
  readonly document?: WireDocument;
  readonly photo?: readonly object[];
  readonly reply_markup?: { readonly inline_keyboard: WireKeyboard };
  readonly forum_topic_created?: { readonly name: string; readonly icon_color: number };
  readonly migrate_to_chat_id?: number;
  readonly migrate_from_chat_id?: number;
}

/** A pressed button. A message whose content is hidden has the date 0. */
export interface WireCallbackQuery {
  readonly id: string;
  readonly from: WireUser;
  readonly chat_instance: string;
  readonly message: WireMessage;
  readonly data: string;
}

export interface WireUpdate {
  readonly update_id: number;
  readonly message?: WireMessage;
  readonly edited_message?: WireMessage;
  readonly callback_query?: WireCallbackQuery;
}
