const mb = 1_000_000
/** However large the disk is: a messenger's share of it. */
const ceilingBytes = 2_000 * mb
/** Where the browser does not tell what it grants. */
const unknownBytes = 500 * mb

/** What the browser tells of this origin's storage, in bytes. */
export interface StorageRoom {
  usage?: number | undefined
  quota?: number | undefined
}

/**
 * How much files may take on this device, in bytes: a quarter of what they take now and what is free together, so that
 * the messages always have room.
 */
export function decideFileBudget({
  keptBytes,
  room,
}: {
  keptBytes: number
  room: StorageRoom | undefined
}): number {
  const { usage, quota } = room ?? {}
  if (quota === undefined || usage === undefined) return unknownBytes
  const free = Math.max(0, quota - usage)
  return Math.min(ceilingBytes, Math.floor((keptBytes + free) / 4))
}
