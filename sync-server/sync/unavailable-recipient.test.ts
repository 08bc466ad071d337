import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MessageDocument } from '../../schema/message.ts'
import { nameMessagesDatabase } from '../storage/database-names.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from './open-test-acceptance.ts'

const opened = { errors: [] as unknown[] } as { errors: unknown[]; t: TestAcceptance; cyd: string }
beforeEach(async () => {
  const onError = (error: unknown) => opened.errors.push(error)
  const t = await openTestAcceptance({ onError })
  Object.assign(opened, { t, errors: [], cyd: await t.register('Cyd') })
})
afterEach(() => opened.t.close())

const write = (recipientId: string, content: string) =>
  writeMessage({ senderId: opened.t.ann, recipientId, content })
const send = (messages: readonly MessageDocument[]) =>
  opened.t.acceptance.acceptMessages({ actorId: opened.t.ann, proposals: messages.map(propose) })
const read = (userId: string, { _id }: MessageDocument) => opened.t.readMessage(userId, _id)

/** Puts a file where Ben's messages are, which LevelDB cannot open. @returns puts them back */
async function breakBen() {
  const { t } = opened
  const place = join(t.dataDir, 'databases', nameMessagesDatabase(t.ben))
  await t.storage.close()
  await rename(place, `${place}-aside`)
  await writeFile(place, 'broken')
  t.reopen()
  return async () => {
    await t.storage.close()
    await rename(place, `${place}-broken`)
    await rename(`${place}-aside`, place)
    t.reopen()
  }
}

describe('somebody whose messages cannot be stored', () => {
  test('P6: holds up nobody else, and the author can send it again', async () => {
    const { t, cyd } = opened
    await send([write(t.ben, 'before')])
    const mend = await breakBen()
    const [toBen, toCyd] = [write(t.ben, 'to Ben'), write(cyd, 'to Cyd')]
    expect(await send([toBen, toCyd])).toMatchObject([
      { kind: 'stored', isTaken: true, refusal: { code: 'recipient_unavailable' } },
      { kind: 'stored', isTaken: true, doc: { status: 'sent' } },
    ])
    expect(await read(cyd, toCyd)).toMatchObject({ content: 'to Cyd', status: 'delivered' })
    const failed = await read(t.ann, toBen)
    const reason = { errorCode: 'recipient_unavailable' }
    expect(failed).toMatchObject({ status: 'failed', content: 'to Ben', ...reason })
    expect(opened.errors.length).toBeGreaterThan(0)

    await mend()
    await send([{ ...toBen, status: 'sending', attempt: (failed?.attempt ?? 0) + 1 }])
    expect(await read(t.ann, toBen)).toMatchObject({ status: 'sent' })
    expect(await read(t.ben, toBen)).toMatchObject({ content: 'to Ben' })
  })

  test('P3: keeps the text that they have, until an edit can reach them', async () => {
    const { t } = opened
    const message = write(t.ben, 'first')
    await send([message])
    const mend = await breakBen()
    const sent = await read(t.ann, message)
    const edited = { ...message, ...sent, content: 'second', editedAt: Date.now() }
    await send([edited])
    expect(await read(t.ann, message)).toMatchObject({
      ...{ content: 'first', status: 'sent' },
      refused: { code: 'recipient_unavailable', content: 'second' },
    })
    await mend()
    await send([{ ...edited, editedAt: Date.now() }])
    expect(await read(t.ben, message)).toMatchObject({ content: 'second' })
  })

  test('P3: have a deletion tried again, which is not acknowledged before it reached them', async () => {
    const { t, cyd } = opened
    const message = write(t.ben, 'first')
    await send([message])
    const mend = await breakBen()
    const sent = await read(t.ann, message)
    const deleted = { ...message, ...sent, deletedAt: Date.now() }
    const toCyd = write(cyd, 'to Cyd')
    await expect(send([deleted, toCyd])).rejects.toThrow()
    expect((await read(t.ann, message))?.deletedAt).toBeUndefined()
    expect(await read(t.ann, toCyd)).toMatchObject({ status: 'sent' })
    await mend()
    await send([deleted, toCyd])
    expect((await read(t.ben, message))?.deletedAt).toBeDefined()
  })

  test('holds up nobody else’s healing', async () => {
    const { t, cyd } = opened
    await send([write(t.ben, 'before')])
    await breakBen()
    await send([write(t.ben, 'to Ben'), write(cyd, 'to Cyd')])
    expect(await t.acceptance.healCopies()).toBe(0)
    const orders = t.storage.database('orders')
    expect(await orders.readLocal('healed')).toMatchObject({ seq: await orders.updateSeq() })
  })
})
