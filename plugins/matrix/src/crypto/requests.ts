import {
  KeysBackupRequest,
  KeysClaimRequest,
  KeysQueryRequest,
  KeysUploadRequest,
  type OlmMachine,
  type OutgoingRequest,
  RoomMessageRequest,
  SignatureUploadRequest,
  ToDeviceRequest,
} from "@matrix-org/matrix-sdk-crypto-wasm";
import { Method } from "matrix-js-sdk";
import { encode, type MatrixApi } from "../api.ts";

/** Makes a request of the machine's, and tells it the answer. */
export async function sendRequest(api: MatrixApi, machine: OlmMachine, request: OutgoingRequest): Promise<void> {
  const { method, path } = targetOf(request);
  const answer = await api.request<unknown>(method, path, { body: request.body });
  if (request.id !== undefined) await machine.markRequestAsSent(request.id, request.type, JSON.stringify(answer));
}

function targetOf(request: OutgoingRequest): { readonly method: Method; readonly path: string } {
  if (request instanceof KeysUploadRequest) return { method: Method.Post, path: "/keys/upload" };
  if (request instanceof KeysQueryRequest) return { method: Method.Post, path: "/keys/query" };
  if (request instanceof KeysClaimRequest) return { method: Method.Post, path: "/keys/claim" };
  if (request instanceof SignatureUploadRequest) return { method: Method.Post, path: "/keys/signatures/upload" };
  if (request instanceof ToDeviceRequest) {
    const { event_type: type, txn_id: txnId } = request;
    return { method: Method.Put, path: `/sendToDevice/${encode(type)}/${encode(txnId)}` };
  }
  if (request instanceof RoomMessageRequest) {
    const { room_id: roomId, event_type: type, txn_id: txnId } = request;
    return { method: Method.Put, path: `/rooms/${encode(roomId)}/send/${encode(type)}/${encode(txnId)}` };
  }
  if (request instanceof KeysBackupRequest) throw new Error("keys are not backed up to the server");
  throw new Error("the encryption library asks for something unknown");
}
