import { ApiRefusal } from "@hermes/emulator";

type ErrorType =
  | "Validation Error"
  | "Authentication Error"
  | "Database Error"
  | "Server Error"
  | "iMessage Error"
  | "Gateway Timeout";

function refusal(status: number, message: string, type: ErrorType, error: string, data?: unknown): ApiRefusal {
  const more = data === undefined ? {} : { data };
  return new ApiRefusal(status, { status, message, error: { type, message: error }, ...more });
}

export const unauthorized = () =>
  refusal(401, "You are not authorized to access this resource", "Authentication Error", "Unauthorized");

export const badRequest = (error: string) =>
  refusal(400, "You've made a bad request! Please check your request params & body", "Validation Error", error);

export const notFound = (error: string) =>
  refusal(404, "The requested resource was not found", "Database Error", error);

export const serverError = (error: string) =>
  refusal(500, "The server has encountered an error", "Server Error", error);

export const gatewayTimeout = () =>
  refusal(504, "The server took too long to response!", "Gateway Timeout", "The request has timed out");

/** Messages, or the script that drives it, failed. `data` is the message that failed, where the server found one. */
export const imessageError = (message: string, error: string, data?: unknown) =>
  refusal(500, message, "iMessage Error", error, data);

export const privateApiOff = () => imessageError(SET_UP, "iMessage Private API is not enabled!");

export const helperNotConnected = () => imessageError(SET_UP, "iMessage Private API Helper is not connected!");

const SET_UP = "Please make sure you have completed the setup for the Private API, and your helper is connected!";

/** A send that Messages reported as failed; or, with no message, that the server lost sight of. */
export const sendFailed = (what: "Message" | "Attachment" | "Reaction", data: unknown) =>
  imessageError(`${what} Send Error`, `Failed to send ${what.toLowerCase()}! See attached message error code.`, data);

/** The script could not be carried out. */
export const scriptFailed = (what: "Message" | "Attachment", error: string) =>
  imessageError(`${what} Send Error`, error);
