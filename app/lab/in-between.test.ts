import { expect, test } from 'vitest'
import { createLab } from './create-lab.ts'
import type { LabDevice } from './device/lab-device-types.ts'
import { untilLive } from './device/read-conversation.ts'
import { openTestLab } from './open-test-lab.ts'
import { runHistory } from './run-history.ts'

const answers: [string, { status: number; body: string }][] = [
  ['500', { status: 500, body: '<html>Internal error' }],
  ['200 with a page', { status: 200, body: '<html>Your room?' }],
  ['401', { status: 401, body: '<html>Your password?' }],
]

/** How many requests something has answered in place of the server. */
const countAnswered = ({ network }: LabDevice) =>
  network.exchanges.filter(({ faults }) => faults.includes('answer')).length

test.for(answers)(
  'P6: seconds of %s for everything put nothing out of its order, and sign nobody out',
  async ([, answer]) => {
    const { lab, ann, ben } = await openTestLab()
    const [phone, tablet] = [await ann.device(), await ben.device()]
    await lab.settle()
    phone.network.stepBetween({ ...answer, ms: Number.POSITIVE_INFINITY })
    await phone.say(ben, 'one')
    const { words } = await untilLive(phone.messenger.connection, (now) => now.words !== undefined)
    expect(words).toMatch(/^The server has a problem/)
    for (const text of ['two', 'three']) await phone.say(ben, text)
    const before = countAnswered(phone)
    await expect.poll(() => countAnswered(phone)).toBeGreaterThan(before)
    phone.network.stepBetween({ ...answer, ms: 0 })
    const readTexts = async () => (await tablet.read(ann)).map(({ content }) => content)
    await expect.poll(async () => (await readTexts()).length, { timeout: 60_000 }).toBe(3)
    await phone.say(ben, 'four')
    await lab.settle()
    await lab.expectConverged()
    expect(await readTexts()).toEqual(['one', 'two', 'three', 'four'])
    await untilLive(phone.messenger.connection, ({ words }) => words === undefined)
  },
)

test('P6: what was set aside leaves ahead of the next words of its conversation, once it passes', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  phone.network.refuseWords('union select', 403)
  const refused = await phone.say(ben, 'about union select')
  await untilLive(phone.messenger.setAside, (all) => all.has(refused))
  expect(phone.messenger.setAside.getSnapshot().get(refused)).toMatchObject({ status: 403 })
  const readTexts = async () => (await tablet.read(ann)).map(({ content }) => content)
  await phone.say(ben, 'it holds up nothing')
  await expect.poll(readTexts).toEqual(['it holds up nothing'])
  // The rule is lifted, and nothing tells this device.
  phone.network.refuseWords('something else', 403)
  await phone.say(ben, 'the next words')
  await expect
    .poll(readTexts)
    .toEqual(['it holds up nothing', 'about union select', 'the next words'])
})

/** Little else, so that many of them meet. */
const only = [
  'say',
  'send-file',
  'between',
  'refuse-words',
  'calm',
  'pause',
  'reload',
  'tab',
] as const

test.for([1, 2])(
  'P6: whatever answers in place of the server (seed %i), all stands in the order in which it was written',
  { timeout: 400_000 },
  async (seed) => {
    await expect(
      runHistory({ seed, steps: 40, only, createLab, shrinkTries: 0 }),
    ).resolves.toBeUndefined()
  },
)
