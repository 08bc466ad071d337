/**
 * How many bytes a document counts for what its owner has stored; none where there is none. Reactions count for nobody:
 * they are few and short, and the other person's are not the author's to answer for.
 */
export function weighDocument(document: object | undefined): number {
  if (document === undefined) return 0
  return Buffer.byteLength(JSON.stringify({ ...document, reactions: undefined }))
}
