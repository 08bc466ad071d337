import * as z from 'zod/mini'
import { id } from '../../../schema/id.ts'
import { limits } from '../../../schema/limits.ts'
import { pictureMimeTypes } from '../../../schema/media.ts'
import type { CommandContext } from '../../database/storage/collections.ts'
import { createKeptPictures } from '../../database/storage/kept-pictures.ts'
import type { KnownPerson } from '../../database/storage/known-peer.ts'
import type { PeopleStore } from '../../database/storage/people-store.ts'
import { readConversations } from '../../database/views/read-conversations.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import type { createZipWriter } from './zip-writer.ts'

/** One line of `pictures.json`: a person's picture, and the address that the server gave it. */
export const archivedPicture = z.object({
  userId: id,
  address: z.string().check(z.startsWith(limits.mediaPathPrefix), z.maxLength(500)),
  path: z.string().check(z.regex(/^pictures\/[0-9a-f-]{36}\.(jpeg|png|webp)$/)),
  mimeType: z.enum(pictureMimeTypes),
  size: z.int().check(z.gte(0), z.lte(limits.pictureInputMaxBytes)),
})
export type ArchivedPicture = z.infer<typeof archivedPicture>

type Table = PeopleStore['pictures']

/**
 * Writes one's own picture and those of people: what is on this device, and with `loadsMissing`
 * also that of people with a chat from the server.
 */
export async function savePictures(options: {
  context: CommandContext
  table: Table
  calls: Pick<RequestCalls, 'messages'>
  profile: { _id: string; profilePicture?: string | null }
  people: readonly Pick<KnownPerson, '_id' | 'profilePicture'>[]
  zip: ReturnType<typeof createZipWriter>
  loadsMissing: boolean
  signal: AbortSignal
}): Promise<ArchivedPicture[]> {
  const { context, table, calls, profile, people, zip, loadsMissing, signal } = options
  const { conversations } = context.database
  const met = new Set((await readConversations(conversations)).map(({ _id }) => _id))
  const saved: ArchivedPicture[] = []
  for (const { _id: userId, profilePicture: address } of [profile, ...people]) {
    signal.throwIfAborted()
    if (!address) continue
    const here = (await table.get(address))?.file
    const isWanted = loadsMissing && (userId === profile._id || met.has(userId))
    const file =
      here ??
      (isWanted
        ? await calls.messages.download({ mediaUrl: address }, { signal }).catch(() => undefined)
        : undefined)
    signal.throwIfAborted()
    const ending = file?.type.split('/')[1]
    const entry = archivedPicture.safeParse({
      userId,
      address,
      path: `pictures/${userId}.${ending}`,
      mimeType: file?.type,
      size: file?.size,
    })
    if (!file || !entry.success || !zip.hasRoomFor(file.size)) continue
    if (!(await zip.addFile(entry.data.path, file, signal))) continue
    saved.push(entry.data)
  }
  return saved
}

/** Stores the pictures that this device lacks, under the addresses that their people have. */
export async function keepPictures(
  { table, now }: { table: Table; now: () => number },
  pictures: Iterable<ArchivedPicture>,
  read: (picture: ArchivedPicture) => Promise<Blob>,
): Promise<void> {
  const kept = createKeptPictures({ table, now })
  for (const picture of pictures) {
    if (await table.get(picture.address)) continue
    await kept.keep(picture.address, await read(picture))
  }
}
