/** An error as signal-cli answers it ("SignalJsonRpcCommandHandler"). */
export class Refusal extends Error {
  readonly code: number;
  /** What the command had written before it failed. */
  readonly response: unknown;

  constructor(code: number, message: string, response?: unknown) {
    super(message);
    this.code = code;
    this.response = response;
  }
}

export const userError = (message: string, response?: unknown) => new Refusal(-1, message, response);
export const invalidParams = (message: string) => new Refusal(-32602, message);
export const methodNotFound = () => new Refusal(-32601, "Method not implemented");
export const groupNotFound = (id: string) => userError(`Group not found: ${id}`);
export const notAMember = (id: string, name: string) => userError(`User is not a member in group: ${name} (${id})`);
export const sendingNotAllowed = (id: string, name: string) =>
  userError(`User is not allowed to send message to group: ${name} (${id})`);
