import { expect, onTestFinished, test } from 'vitest'
import { openTestChat } from '../../testing/open-test-chat.ts'
import { readTestLevel } from '../../testing/open-test-request.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'

test('P12: who forwards to many in two loops waits between a few of them, and nobody else does', async () => {
  const gate = createGate()
  const chat = await openTestChat({
    budget: { forwardsAtOnce: 1, forwardsPerPerson: 2 },
    onStage: gate.pass,
  })
  onTestFinished(() => {
    gate.open()
    return chat.close()
  })
  const [ann, ben] = [await chat.register('Ann'), await chat.register('Ben')]
  const names = Array.from({ length: 12 }, (_, index) => `Reader${index}`)
  const readers = (await chat.app.registerAll(names)).map(({ userId }) => userId)
  const [anns, bens] = [await chat.say(ann, ben, 'to many'), await chat.say(ben, ann, 'to one')]
  const forward = (from: TestPerson, id: string, recipientIds: string[]) =>
    chat.as(from).post(`/messages/${id}/forward`, { recipientIds })

  gate.shut()
  const loops = [forward(ann, anns, readers), forward(ann, anns, readers)]
  await expect.poll(gate.isReached).toBe(true)
  await expect.poll(() => readTestLevel(chat.app, 'petrel_heavy_waiting')).toBe(1)
  const third = await forward(ann, anns, readers)
  expect([third.status, third.body.code]).toEqual([429, 'too_many_at_once'])
  expect(third.headers.get('retry-after')).toBe('2')
  const between = forward(ben, bens, [ann.userId])
  await expect.poll(() => readTestLevel(chat.app, 'petrel_heavy_waiting')).toBe(2)
  gate.open()

  const answers = await Promise.all([...loops, between])
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  // An id is given when its message's turn comes, and ids of one server are in the order of time.
  const sent: { _id: string; content: string }[] = answers.flatMap(({ body }) => body.messages)
  const order = sent.toSorted((one, other) => (one._id < other._id ? -1 : 1))
  expect(order.map(({ content }) => content)).toEqual([
    ...Array.from({ length: 4 }, () => 'to many'),
    'to one',
    ...Array.from({ length: 20 }, () => 'to many'),
  ])
})

/** Holds up whatever passes while it is shut. */
function createGate() {
  const state = { isShut: false }
  const held: (() => void)[] = []
  return {
    /** Does something stand before it? */
    isReached: () => held.length > 0,
    shut() {
      state.isShut = true
    },
    open() {
      state.isShut = false
      for (const letThrough of held.splice(0)) letThrough()
    },
    async pass() {
      if (state.isShut) await new Promise<void>((resolve) => held.push(resolve))
    },
  }
}
