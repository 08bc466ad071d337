/**
 * How many bytes a document counts for its owner's quota; 0 without a document. Reactions do not
 * count: they are few and short, and the other person's are not the author's.
 */
export function weighDocument(document: object | undefined): number {
  if (document === undefined) return 0
  return Buffer.byteLength(JSON.stringify({ ...document, reactions: undefined }))
}
