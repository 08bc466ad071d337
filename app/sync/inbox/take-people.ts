import { publicUser } from '../../../schema/user.ts'
import type { Inbox } from '../../database/inbox/inbox.ts'
import type { DeviceStore } from '../../database/storage/open-device-store.ts'

/**
 * Takes in the records of those who wrote first while the app was closed, so that their chats have
 * a name without a network. What the device knows already may be newer, and stays.
 */
export async function takePeople(options: {
  inbox: Pick<Inbox, 'list' | 'drop'>
  people: DeviceStore['people']
}): Promise<void> {
  const { inbox, people } = options
  const kept = (await inbox.list()).filter(({ collection }) => collection === 'people')
  if (kept.length === 0) return
  const known = await people.bulkGet(kept.map(({ _id }) => _id))
  const fresh = kept.flatMap(({ document }, at) => {
    const read = publicUser.safeParse(document)
    return known[at] === undefined && read.success ? [read.data] : []
  })
  await people.bulkPut(fresh)
  await inbox.drop(kept)
}
