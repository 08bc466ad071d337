const mb = 1_000_000
/** A messenger's share, however large the disk is. */
const ceilingBytes = 2_000 * mb
/** The budget when the browser does not report its quota. */
const unknownBytes = 500 * mb
/** Messages need the rest, whatever the person has chosen. */
const mostOfRoom = 0.9

/** How much of the files a person keeps on a device. */
export const fileKeepings = ['auto', 'little', 'more', 'all'] as const
export type FileKeeping = (typeof fileKeepings)[number]

const chosenBytes = {
  little: 200 * mb,
  more: 1_000 * mb,
  all: Number.POSITIVE_INFINITY,
} as const satisfies Record<Exclude<FileKeeping, 'auto'>, number>

/** The browser's report of this origin's storage, in bytes. */
export interface StorageRoom {
  usage?: number | undefined
  quota?: number | undefined
}

/**
 * The file budget on this device, in bytes. By itself a quarter of used and free space together, so
 * that the messages always have room; else what the person has chosen, as far as there is room.
 */
export function decideFileBudget({
  keptBytes,
  room,
  keeping = 'auto',
}: {
  keptBytes: number
  room: StorageRoom | undefined
  keeping?: FileKeeping
}): number {
  const { usage, quota } = room ?? {}
  const isKnown = quota !== undefined && usage !== undefined
  const space = isKnown ? keptBytes + Math.max(0, quota - usage) : undefined
  if (keeping !== 'auto') {
    const most = space === undefined ? Number.POSITIVE_INFINITY : Math.floor(space * mostOfRoom)
    return Math.min(chosenBytes[keeping], most)
  }
  return space === undefined ? unknownBytes : Math.min(ceilingBytes, Math.floor(space / 4))
}
