import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { newConversation } from '../../schema/conversation.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { linkServers } from '../cluster/link-servers.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import { createLog } from '../lib/log.ts'
import { describeCouches } from '../storage/couch/couches.contract.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../testing/open-test-acceptance.ts'
import { startRedis, type TestRedis } from '../testing/start-redis.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.close())

let t: TestAcceptance
let links: ServerLink[]
beforeEach(async () => {
  links = await Promise.all([openLink(), openLink()])
})
afterEach(async () => {
  await t.close()
  for (const link of links) link.close()
})

async function openLink() {
  const link = linkServers({
    url: redis.url,
    secret: 'of both',
    log: createLog('silent', { write: () => undefined }),
  })
  expect(await link.waitUntilUp(20_000)).toBe(true)
  return link
}

const openOther = (options: { now?: () => number } = {}) =>
  t.openOther({ link: links[1], ...options })

/** Whoever answers has the message from their server, which heard its place before. */
async function untilHeard(from: 0 | 1): Promise<void> {
  let isHeard = false
  const stop = links[1 - from]?.listen('heard', () => {
    isHeard = true
  })
  const askAgain = () => {
    links[from]?.publish('heard', {})
    return isHeard
  }
  await expect.poll(askAgain).toBe(true)
  stop?.()
}

const fromAnn = (content = 'hello') =>
  writeMessage({ senderId: t.ann, recipientId: t.ben, content })
const fromBen = (content = 'hello') =>
  writeMessage({ senderId: t.ben, recipientId: t.ann, content })
const places = (messages: MessageDocument[]) =>
  messages.map(({ orderedAt, content }) => `${orderedAt} ${content}`)

describeCouches('two servers', (couch) => {
  beforeEach(async () => {
    t = await openTestAcceptance({ couchdbUrl: couch.url, link: links[0] })
  })

  test('give one order, strictly growing, to messages that come to both', async () => {
    const other = openOther()
    const numbers = Array.from({ length: 15 }, (_, i) => i)
    for (const i of numbers) {
      await Promise.all([
        t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(fromAnn(`a${i}`))] }),
        other.acceptMessages({ actorId: t.ben, proposals: [propose(fromBen(`b${i}`))] }),
      ])
    }
    const anns = await t.readMessages(t.ann)
    expect(places(anns)).toEqual(places(await t.readMessages(t.ben)))
    expect(new Set(anns.map(({ orderedAt }) => orderedAt)).size).toBe(30)
  })

  test('put an answer behind what it answers, although their clocks differ', async () => {
    const late = openOther({ now: () => Date.now() - 2_000 })
    const say = (server: typeof late, message: MessageDocument) =>
      server.acceptMessages({ actorId: message.senderId, proposals: [propose(message)] })
    await say(late, fromBen('hello'))
    await untilHeard(1)
    await say(t.acceptance, fromAnn('how are you?'))
    await untilHeard(0)
    await say(late, fromBen('fine'))
    await untilHeard(1)
    await say(t.acceptance, fromAnn('good'))
    const said = (await t.readMessages(t.ben)).map(({ content }) => content)
    expect(said).toEqual(['hello', 'how are you?', 'fine', 'good'])
  })

  test('P2: that get the same message at the same time send it once', async () => {
    const other = openOther()
    const message = fromAnn()
    const request = { actorId: t.ann, proposals: [propose(message)] }
    await Promise.all([t.acceptance.acceptMessages(request), other.acceptMessages(request)])
    const [anns, bens] = [await t.readMessages(t.ann), await t.readMessages(t.ben)]
    expect(anns).toMatchObject([{ status: 'sent', content: 'hello' }])
    expect(bens).toMatchObject([{ status: 'delivered', orderedAt: anns[0]?.orderedAt }])
  })

  test('P5: that get two edits of one message leave both copies the same', async () => {
    const other = openOther()
    const message = fromAnn()
    await t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(message)] })
    const at = Date.now() - 100
    const edits = Array.from({ length: 6 }, (_, i) =>
      propose({ ...message, content: `edit ${i}`, editedAt: at + i } as MessageDocument),
    )
    await Promise.all(
      edits.map((proposal, i) =>
        (i % 2 ? other : t.acceptance).acceptMessages({ actorId: t.ann, proposals: [proposal] }),
      ),
    )
    expect(await t.readMessages(t.ann)).toMatchObject([{ content: 'edit 5' }])
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'edit 5' }])
  })

  test('lose no receipt that comes to the one while the message goes through the other', async () => {
    const other = openOther()
    for (let i = 0; i < 10; i += 1) {
      const raw = { ...newConversation(t.ann), readUpTo: Date.now() + 60_000 }
      await Promise.all([
        t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(fromAnn(String(i)))] }),
        other.acceptConversations({ actorId: t.ben, proposals: [propose(raw)] }),
      ])
    }
    const readUpTo = (await t.readConversation(t.ben, t.ann))?.readUpTo ?? 0
    const told = await t.readStatuses(t.ann)
    const late = (await t.readMessages(t.ann)).filter(
      ({ orderedAt }, index) => told[index]?.status !== 'read' && orderedAt <= readUpTo,
    )
    expect(late).toEqual([])
  })

  test('P3: complete each other’s messages after a crash', async () => {
    const name = `messages-${t.ann}`
    const message = fromAnn()
    await t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(message)] })
    await t.storage.destroy(name)
    expect(await openOther().healCopies()).toBe(1)
    expect(await t.readMessage(t.ann, message._id)).toMatchObject({ status: 'sent' })
  })
})
