/** How many bytes a document counts for what its owner has stored; none where there is none. */
export function weighDocument(document: object | undefined): number {
  return document === undefined ? 0 : Buffer.byteLength(JSON.stringify(document))
}
