/** A webhook's body, as far as Hermes reads it ("Webhooks › messages"). Untrusted. */
export interface WebhookPayload {
  readonly object?: string;
  readonly entry?: readonly { readonly changes?: readonly WebhookChange[] }[];
}

interface WebhookChange {
  /** `messages` for messages and statuses; Hermes ignores others (echoes of the app, templates). */
  readonly field?: string;
  readonly value?: WebhookValue;
}

export interface WebhookValue {
  readonly metadata?: { readonly display_phone_number?: string; readonly phone_number_id?: string };
  readonly contacts?: readonly WireContact[];
  readonly messages?: readonly WireMessage[];
  readonly statuses?: readonly WireStatus[];
  readonly errors?: readonly WireError[];
}

interface WireContact {
  readonly profile?: { readonly name?: string; readonly username?: string };
  /** The number; missing if the person hides it. */
  readonly wa_id?: string;
  /** The id that hides the number ("Business-scoped user IDs"). */
  readonly user_id?: string;
}

export interface WireMessage {
  readonly id: string;
  readonly from?: string;
  readonly from_user_id?: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  readonly type: string;
  readonly group_id?: string;
  readonly context?: {
    /** The message that it replies to, and that one's writer. */
    readonly id?: string;
    readonly from?: string;
    /** True for a forwarded message; the second one for one that was forwarded many times. */
    readonly forwarded?: boolean;
    readonly frequently_forwarded?: boolean;
  };
  readonly text?: { readonly body?: string };
  readonly image?: WireMedia;
  readonly video?: WireMedia;
  readonly audio?: WireMedia;
  readonly document?: WireMedia;
  readonly button?: { readonly text?: string };
  readonly interactive?: {
    /** The pressed button, below the message of ours that `context` names. */
    readonly button_reply?: { readonly id?: string; readonly title?: string };
    readonly list_reply?: { readonly title?: string };
    /** A filled-in form ("Flows"). */
    readonly nfm_reply?: unknown;
  };
  readonly location?: {
    readonly latitude?: number;
    readonly longitude?: number;
    readonly name?: string;
    readonly address?: string;
  };
  readonly contacts?: readonly {
    readonly name?: { readonly formatted_name?: string };
    readonly phones?: readonly { readonly phone?: string }[];
    readonly emails?: readonly { readonly email?: string }[];
  }[];
  readonly system?: {
    readonly type?: string;
    /** The new number, and the new id that hides it. */
    readonly wa_id?: string;
    readonly user_id?: string;
    readonly previous_user_id?: string;
  };
  readonly revoke?: { readonly original_message_id?: string };
  readonly edit?: { readonly original_message_id?: string; readonly message?: Partial<WireMessage> };
}

export interface WireMedia {
  readonly id?: string;
  readonly mime_type?: string;
  readonly filename?: string;
  readonly caption?: string;
  readonly voice?: boolean;
  readonly sha256?: string;
}

export interface WireStatus {
  /** The id of the sent message. */
  readonly id: string;
  readonly status: string;
  readonly recipient_id?: string;
  readonly recipient_user_id?: string;
  /** The key of the send, as it was passed. */
  readonly biz_opaque_callback_data?: string;
  readonly errors?: readonly WireError[];
}

/** An error: `code` identifies it, `details` describes it ("Error codes"). */
export interface WireError {
  readonly code?: number;
  readonly error_subcode?: number;
  readonly title?: string;
  readonly message?: string;
  readonly error_data?: { readonly details?: string };
}

/** Returns a webhook's changes for one number: an app may have several, and subscribe to more than messages. */
export function valuesFor(phoneNumberId: string, { entry }: WebhookPayload): WebhookValue[] {
  return listIn(entry)
    .flatMap(({ changes }) => listIn(changes))
    .flatMap(({ field, value }) =>
      field === "messages" && value?.metadata?.phone_number_id === phoneNumberId ? [value] : [],
    );
}

/** Returns the objects in a value that should be a list of them. */
export function listIn<T extends object>(given: readonly T[] | undefined): readonly T[] {
  return Array.isArray(given) ? (given as readonly T[]).filter((one) => Object(one) === one) : [];
}
