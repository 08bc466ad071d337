import { expect, test } from 'vitest'
import type { PushDocument } from '../access/push-subscription-documents.ts'
import type { LinkListener, ServerLink } from '../cluster/server-link.ts'
import { createShownPushes, type ReadDevices } from './shown-pushes.ts'

const chat = { userId: 'ben', peerId: 'ann' }
const read = (upTo: number, sessionId?: string) => ({ ...chat, upTo, sessionId })

function describeDevice(sessionId: string, endpoint = 'https://push.example/1'): PushDocument {
  return {
    ...{ _id: `push:ben:${sessionId}`, userId: 'ben', sessionId, endpoint },
    ...{ keys: { p256dh: '', auth: '' }, addedAt: 0, understands: ['read'] },
  }
}

/** Two servers, of which each hears what the other publishes. */
function open() {
  const listeners: Map<string, LinkListener>[] = [new Map(), new Map()]
  const servers = listeners.map((own, at) => {
    const told: ReadDevices[] = []
    const link: Pick<ServerLink, 'publish' | 'listen'> = {
      publish: (topic, data) => listeners[1 - at]?.get(topic)?.(data, `server ${at}`),
      listen(topic, listener) {
        own.set(topic, listener)
        return () => void own.delete(topic)
      },
    }
    const shown = createShownPushes({
      link: link as ServerLink,
      onRead: (devices) => told.push(devices),
    })
    return { shown, told }
  })
  const [one, other] = servers
  if (!one || !other) throw new Error('There are two servers.')
  return { one, other }
}

test('a device is told once, and again after its next message', () => {
  const { one } = open()
  const phone = describeDevice('phone')
  one.shown.begin(phone, 'ann')(10)
  one.shown.recordRead(read(9))
  expect(one.told).toEqual([])
  one.shown.recordRead(read(10))
  one.shown.recordRead(read(11))
  expect(one.told).toEqual([{ ...chat, deviceIds: [phone._id] }])
  one.shown.begin(phone, 'ann')(12)
  one.shown.recordRead(read(12))
  expect(one.told).toHaveLength(2)
})

test('the device that reads is not told', () => {
  const { one } = open()
  one.shown.begin(describeDevice('phone'), 'ann')(10)
  one.shown.begin(describeDevice('laptop'), 'ann')(10)
  one.shown.recordRead(read(10, 'phone'))
  expect(one.told.map(({ deviceIds }) => deviceIds)).toEqual([['push:ben:laptop']])
})

test('a chat that is read while its push is under way is told when the push is there', () => {
  const { one } = open()
  const end = one.shown.begin(describeDevice('phone'), 'ann')
  one.shown.recordRead(read(10, 'laptop'))
  expect(one.told).toEqual([])
  end(10)
  expect(one.told).toHaveLength(1)
  const endUntaken = one.shown.begin(describeDevice('phone'), 'ann')
  one.shown.recordRead(read(20, 'laptop'))
  endUntaken(undefined)
  one.shown.recordRead(read(21, 'laptop'))
  expect(one.told).toHaveLength(1)
})

test('what one server has pushed, the server where it is read tells, and only that one', () => {
  const { one, other } = open()
  one.shown.begin(describeDevice('phone'), 'ann')(10)
  other.shown.recordRead(read(10))
  one.shown.recordRead(read(11))
  expect([one.told.length, other.told.length]).toEqual([0, 1])
})

test('an Apple device, and one of an older app, are never told', () => {
  const { one } = open()
  const apple = describeDevice('phone', 'https://web.push.apple.com/abc')
  const { understands: _, ...older } = describeDevice('laptop')
  one.shown.begin(apple, 'ann')(10)
  one.shown.begin(older, 'ann')(10)
  one.shown.recordRead(read(10))
  expect(one.told).toEqual([])
})
