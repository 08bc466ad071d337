import type { MessageDocument } from '../../../schema/message.ts'
import type { Version } from '../device/witness.ts'

/** How much two clocks that follow one server may differ; of edits this close either may win. */
const togetherMs = 250

/**
 * A message's lost words, or undefined: the last text must stand in the author's copy, or come back
 * as refused (P6), and a deletion must have happened.
 */
export function findLostWords(
  held: MessageDocument,
  versions: readonly Version[],
): string | undefined {
  const isDeleted = held.deletedAt !== undefined
  if (versions.some(({ deletedAt }) => deletedAt !== undefined)) {
    return isDeleted ? undefined : `the deletion of ${held._id} is lost: ${tell(held)}`
  }
  if (isDeleted) return `${held._id} is deleted, and nobody has deleted it: ${tell(held)}`
  const taken = versions.filter(({ content }) => content !== held.refused?.content)
  const lastAt = Math.max(...taken.map(({ editedAt = 0 }) => editedAt))
  const last = taken.filter(({ editedAt = 0 }) => editedAt >= lastAt - togetherMs)
  if (last.some(({ content }) => content === held.content)) return undefined
  return `${JSON.stringify(last)} is lost: ${tell(held)}`
}

function tell({ content, editedAt, deletedAt, refused, status }: MessageDocument): string {
  return JSON.stringify({ content, editedAt, deletedAt, refused, status })
}
