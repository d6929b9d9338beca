/** What one recipient of a message got ("JsonSendMessageResult"). */
export interface WireResult {
  readonly recipientAddress: WireAddress;
  readonly groupId?: string;
  readonly type: ResultType;
  /** Of a challenge that is to be solved. */
  readonly token?: string;
  readonly retryAfterSeconds?: number;
}

export type ResultType =
  | "SUCCESS"
  | "NETWORK_FAILURE"
  | "UNREGISTERED_FAILURE"
  | "IDENTITY_FAILURE"
  | "RATE_LIMIT_FAILURE"
  | "INVALID_PRE_KEY_FAILURE";

export interface WireAddress {
  readonly uuid: string;
  number: string | null;
}

export interface WireStyle {
  readonly style: string;
  readonly start: number;
  readonly length: number;
}

export interface WireAttachment {
  readonly contentType: string;
  readonly filename: string | null;
  readonly id: string;
  readonly size: number;
}
