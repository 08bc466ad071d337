import { expect, onTestFinished, test } from 'vitest'
import { messageDocument } from '../../schema/message.ts'
import { readDocuments } from '../database/storage/read-documents.ts'
import { toStoredMessage } from '../database/storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../database/testing/open-test-database.ts'
import { deriveAccountKeys, publishKeys } from '../encryption/account-keys.ts'
import { deriveEpoch, sealMessage } from '../encryption/sealed-message.ts'
import { createLabPage } from '../lab/kit/page.ts'
import { reopenMessages } from './reopen-messages.ts'

const keysOf = (byte: number, number: number) =>
  deriveAccountKeys({ seed: new Uint8Array(32).fill(byte), number })
const anns = keysOf(1, 1)
const [bensFirst, bensNext] = [keysOf(2, 1), keysOf(3, 2)]
const idOf = (place: number) => `01900000-0000-7000-8000-${String(place).padStart(12, '0')}`

/** A message of Ben's, as it came from the server. */
function sealedByBen(place: number, content: string) {
  const epoch = deriveEpoch(bensNext, anns.agreement.publicKey)
  const written = messageDocument.parse({
    _id: idOf(place),
    peerId: ann,
    senderId: ben,
    recipientId: ann,
    content,
    createdAt: place,
    orderedAt: place,
    status: 'sent',
  })
  const given = { before: undefined, userId: ben, epoch, findEpoch: () => epoch }
  return { ...sealMessage(written, given), content: '', peerId: ben }
}

interface Asking {
  askEveryMs: number
  /** What the server has by then. */
  onAsk?: (device: { asked: readonly string[]; publish(): Promise<void> }) => Promise<void>
}

/** Ann's device, which knows Ben's first key alone, with a message that he sealed with the next. */
async function openWaiting({ askEveryMs, onAsk }: Asking) {
  const { database } = await openTestDatabase()
  await database.keyring.set(anns)
  await database.peerKeys.take([{ _id: ben, keys: publishKeys(bensFirst, ben) }])
  const asked: string[] = []
  const publish = () => database.peerKeys.take([{ _id: ben, keys: publishKeys(bensNext, ben) }])
  const keep = async (place: number) => {
    const opened = database.sealing.open(sealedByBen(place, 'the albatross lands'))
    expect(opened).toMatchObject({ content: '', locked: 'key' })
    await database.messages.insert(toStoredMessage(opened, ann))
  }
  const read = async (place = 1) =>
    (await readDocuments(database.messages, [idOf(place)])).get(idOf(place))?.content
  await keep(1)
  const end = reopenMessages({
    database,
    platform: { page: createLabPage(), random: () => 0 },
    askEveryMs,
    async askPerson(userId) {
      asked.push(userId)
      await onAsk?.({ asked, publish })
    },
    onError(cause) {
      throw cause
    },
  })
  onTestFinished(end)
  return { keep, read, publish, asked }
}

test('a key that was published only after it was asked for opens what waits, though nothing else comes', async () => {
  const { read, asked } = await openWaiting({
    askEveryMs: 1,
    // Ben's next device is on its way: the first answers do not have it yet.
    async onAsk({ asked, publish }) {
      if (asked.length === 3) await publish()
    },
  })
  await expect.poll(() => read()).toBe('the albatross lands')
  expect(asked).toEqual([ben, ben, ben])
})

test('whoever is asked for is not asked for again at once, however much comes', async () => {
  const { keep, publish, read, asked } = await openWaiting({ askEveryMs: 60_000 })
  await expect.poll(() => asked.length).toBe(1)
  await keep(2)
  await keep(3)
  await publish()
  await expect.poll(() => read(3)).toBe('the albatross lands')
  expect(asked).toEqual([ben])
})
