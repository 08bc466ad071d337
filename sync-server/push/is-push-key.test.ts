import { afterAll, expect, test } from 'vitest'
import type { PushDocument } from '../access/push-subscription-documents.ts'
import { createLog } from '../lib/log.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import { openTestChat } from '../testing/open-test-chat.ts'
import { startPushService } from '../testing/start-push-service.ts'
import { isPushKey } from './push-keys.ts'

const service = await startPushService()
const faults: string[] = []
const log = createLog('error', { write: (line) => void faults.push(line) })
const chat = await openTestChat({ isLoopbackPushAllowed: true, log })
const [ann, ben] = [await chat.register('Ann'), await chat.register('Ben')]
afterAll(async () => {
  await chat.close()
  await service.close()
})

/** As long as a key, and in its characters. */
const noPoint = 'A'.repeat(87)

function subscribe(p256dh?: string) {
  const { endpoint, keys } = service.subscribe()
  const body = { endpoint, keys: { ...keys, ...(p256dh && { p256dh }) } }
  return chat.as(ben).put('/users/me/push', body)
}

/** What becomes of pushes: those sent, and those that could not be. */
async function countPushes() {
  const { text } = await chat.app.call('GET', '/metrics')
  const read = (name: string) =>
    Number(new RegExp(`^petrel_pushes_${name} (\\d+)`, 'm').exec(text)?.[1])
  return {
    gone: read('refused_total'),
    dropped: read('dropped_total'),
    failed: read('failed_total'),
  }
}

test('a key is a point on the curve, padded or not', () => {
  const { p256dh } = service.subscribe().keys
  expect([p256dh, `${p256dh}=`].map(isPushKey)).toEqual([true, true])
  const other = `${p256dh.slice(0, 80)}${'A'.repeat(7)}`
  expect([noPoint, `B${'A'.repeat(86)}`, other, ''].map(isPushKey)).toEqual(Array(4).fill(false))
})

test('a key that is no point is refused, in the words of other wrong input', async () => {
  const answer = await subscribe(noPoint)
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input'])
  expect(answer.body.details).toBe('keys.p256dh is not valid')
  expect(answer.body).toEqual((await subscribe('AA')).body)
})

test('a subscription with such a key, kept by an earlier server, is removed without a fault', async () => {
  expect((await subscribe()).status).toBe(200)
  const range = idsFrom(`push:${ben.userId}:`)
  await chat.app.whileStopped(async (storage) => {
    const database = storage.database<PushDocument>('accounts')
    const ids = (await database.range(range)).map(({ _id }) => _id)
    await database.update(ids, (stored) => ({
      put: [...stored.values()].map((device) => ({
        ...device,
        keys: { ...device.keys, p256dh: noPoint },
      })),
      result: undefined,
    }))
  })
  await chat.say(ann, ben, 'nobody can read this')
  await expect.poll(countPushes).toEqual({ gone: 1, dropped: 0, failed: 0 })
  expect(faults).toEqual([])
  const kept = await chat.app.whileStopped((storage) => storage.database('accounts').range(range))
  expect(kept).toEqual([])
})
