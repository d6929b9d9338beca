/** What Meta sends to a webhook, as far as Hermes reads it ("Webhooks › messages"). All of it comes from outside. */
export interface WebhookPayload {
  readonly object?: string;
  readonly entry?: readonly { readonly changes?: readonly WebhookChange[] }[];
}

interface WebhookChange {
  /** `messages` for messages and statuses; others (echoes of the app, templates) are no concern of Hermes'. */
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
  /** The number; missing where the person hides it. */
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
    /** The message that it answers, and who wrote that. */
    readonly id?: string;
    readonly from?: string;
    /** Passed on from another chat; the second one where that was done many times. */
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
    /** Somebody pressed a button below a message of ours, which `context` names. */
    readonly button_reply?: { readonly id?: string; readonly title?: string };
    readonly list_reply?: { readonly title?: string };
    /** A form that somebody has filled in ("Flows"). */
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
}

export interface WireStatus {
  /** Of the message that was sent. */
  readonly id: string;
  readonly status: string;
  readonly recipient_id?: string;
  readonly recipient_user_id?: string;
  /** What was given along when it was sent: the key of the send. */
  readonly biz_opaque_callback_data?: string;
  readonly errors?: readonly WireError[];
}

/** "Error codes": the code tells what is wrong, `details` says it. */
export interface WireError {
  readonly code?: number;
  readonly error_subcode?: number;
  readonly title?: string;
  readonly message?: string;
  readonly error_data?: { readonly details?: string };
}

/** What a webhook says about a number: one app may have several, and be subscribed to more than messages. */
export function valuesFor(phoneNumberId: string, { entry }: WebhookPayload): WebhookValue[] {
  return listIn(entry)
    .flatMap(({ changes }) => listIn(changes))
    .flatMap(({ field, value }) =>
      field === "messages" && value?.metadata?.phone_number_id === phoneNumberId ? [value] : [],
    );
}

/** The objects of what is to be a list of them. */
export function listIn<T extends object>(given: readonly T[] | undefined): readonly T[] {
  return Array.isArray(given) ? (given as readonly T[]).filter((one) => Object(one) === one) : [];
}
