const mb = 1_000_000
/** A messenger's share, however large the disk is. */
const ceilingBytes = 2_000 * mb
/** The budget when the browser does not report its quota. */
const unknownBytes = 500 * mb

/** The browser's report of this origin's storage, in bytes. */
export interface StorageRoom {
  usage?: number | undefined
  quota?: number | undefined
}

/**
 * The file budget on this device, in bytes: a quarter of used and free space together, so that the
 * messages always have room.
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
