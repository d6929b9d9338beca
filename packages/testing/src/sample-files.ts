/** A picture of one pixel. */
export const PNG_FILE: Buffer = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A PDF with one empty page. Its bytes are no UTF-8, so that whoever takes it for text changes it. */
export const PDF_FILE: Buffer = Buffer.from(
  [
    "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n",
    "2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n",
    "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>\nendobj\n",
    "trailer\n<</Root 1 0 R>>\n%%EOF\n",
  ].join(""),
  "latin1",
);
