import { randomUUID } from "node:crypto";
import { type Call, Download, param, type Route, sessionOf } from "../call.ts";
import { notFound, uploadTooLarge } from "../refusal.ts";

/** Files ("Content repository"): read below `/client/v1` with a token, as servers have it since v1.11. */
export function mediaRoutes(serverName: string): Route[] {
  const download = (call: Call) => {
    sessionOf(call);
    const file = call.server.media.get(param(call, 1));
    if (file === undefined) throw notFound("Media not found");
    return new Download(file.content, file.mediaType);
  };
  return [
    {
      method: "POST",
      path: /^\/_matrix\/media\/v3\/upload$/,
      name: "upload",
      answer: (call) => {
        sessionOf(call);
        const content = call.body.raw;
        if (content.length > call.server.largestUpload) throw uploadTooLarge();
        const id = randomUUID();
        const name = call.query.get("filename");
        call.server.media.set(id, { content, mediaType: call.mediaType, ...(name === null ? {} : { name }) });
        return { content_uri: `mxc://${serverName}/${id}` };
      },
    },
    {
      method: "GET",
      path: /^\/_matrix\/client\/v1\/media\/config$/,
      name: "mediaConfig",
      answer: (call) => {
        sessionOf(call);
        return { "m.upload.size": call.server.largestUpload };
      },
    },
    {
      method: "GET",
      path: /^\/_matrix\/client\/v1\/media\/download\/([^/]+)\/([^/]+)(?:\/[^/]*)?$/,
      name: "download",
      answer: download,
    },
  ];
}
