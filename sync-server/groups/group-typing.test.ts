import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { TestPerson } from '../testing/start-test-app.ts'
import { openTestGroups, type TestGroups } from './testing/open-test-groups.ts'

const opened = {} as { groups: TestGroups }
beforeAll(async () => {
  opened.groups = await openTestGroups()
})
afterAll(() => opened.groups.close())

const everybody = () => opened.groups.people
const ask: TestGroups['ask'] = (...asked) => opened.groups.ask(...asked)

async function connect(person: TestPerson, understands = ['groups']) {
  const line = await opened.groups.connect(person, understands)
  onTestFinished(() => line.socket.close())
  return line
}
type Line = Awaited<ReturnType<typeof connect>>

/** What comes after it on the same line shows that nothing came before. */
async function untilReached(lines: readonly Line[], people: readonly TestPerson[]) {
  const before = lines.map((line) => line.count('receive-message'))
  const sender = everybody()[4]
  for (const person of people) {
    await ask(sender, 'POST', '/api/messages', { recipientId: person.userId, content: 'after' })
  }
  for (const [index, line] of lines.entries()) {
    await expect.poll(() => line.count('receive-message')).toBeGreaterThan(before[index] ?? 0)
  }
}

test('members who are online see who types, with the group, on devices that know groups', async () => {
  const [ann, ben, cyd, dan] = everybody()
  const group = await opened.groups.openGroup(ben, cyd)
  const [anns, bens, older, cyds, dans] = await Promise.all([
    connect(ann),
    connect(ben),
    connect(ben, []),
    connect(cyd),
    connect(dan),
  ])
  anns.say('typing', { recipientId: group.id })
  await expect
    .poll(() => bens.last('user-typing'))
    .toEqual({
      userId: ann.userId,
      groupId: group.id,
    })
  await expect.poll(() => cyds.count('user-typing')).toBe(1)
  anns.say('stop-typing', { recipientId: group.id })
  await expect
    .poll(() => bens.last('user-stop-typing'))
    .toEqual({
      userId: ann.userId,
      groupId: group.id,
    })
  // To one person as before, without a group.
  anns.say('typing', { recipientId: ben.userId })
  await expect.poll(() => bens.last('user-typing')).toEqual({ userId: ann.userId })
  await untilReached([bens, older, dans], [ben, dan])
  expect([older.count('user-typing'), dans.count('user-typing')]).toEqual([1, 0])
  expect(anns.count('user-typing')).toBe(0)
})

test('strangers, who left and who may not write here reach nobody', async () => {
  const [ann, ben, cyd, dan] = everybody()
  const group = await opened.groups.openGroup(ben, cyd)
  await ask(cyd, 'POST', `${group.path}/leave`)
  const [bens, cyds, dans] = await Promise.all([connect(ben), connect(cyd), connect(dan)])
  for (const line of [cyds, dans]) line.say('typing', { recipientId: group.id })
  await ask(ann, 'PUT', group.path, { settings: { whoWrites: 'admins' } })
  const anns = await connect(ann)
  bens.say('typing', { recipientId: group.id })
  // The last one of each line is answered in its order.
  for (const line of [cyds, dans, bens]) line.say('typing', { recipientId: ann.userId })
  await expect.poll(() => anns.count('user-typing')).toBe(3)
  await untilReached([anns, bens], [ann, ben])
  expect([anns.count('user-typing'), bens.count('user-typing')]).toEqual([3, 0])
})

test('a block hides typing both ways, and who hides being online hides it from strangers', async () => {
  const [ann, ben, cyd, dan] = everybody()
  const group = await opened.groups.openGroup(ben, cyd, dan)
  await ask(cyd, 'PUT', `/api/users/${ben.userId}/block`, { blocked: true })
  onTestFinished(async () => {
    await ask(cyd, 'PUT', `/api/users/${ben.userId}/block`, { blocked: false })
    await ask(ben, 'PUT', '/api/users/settings', { onlineFor: 'everybody' })
  })
  const [anns, bens, cyds, dans] = await Promise.all([
    connect(ann),
    connect(ben),
    connect(cyd),
    connect(dan),
  ])
  bens.say('typing', { recipientId: group.id })
  await expect.poll(() => anns.count('user-typing')).toBe(1)
  await expect.poll(() => dans.count('user-typing')).toBe(1)
  await ask(ben, 'POST', '/api/messages', { recipientId: ann.userId, content: 'hello' })
  await ask(ben, 'PUT', '/api/users/settings', { onlineFor: 'chats' })
  bens.say('stop-typing', { recipientId: group.id })
  await expect.poll(() => anns.count('user-stop-typing')).toBe(1)
  await untilReached([cyds, dans], [cyd, dan])
  expect([cyds.count('user-typing'), cyds.count('user-stop-typing')]).toEqual([0, 0])
  expect([dans.count('user-typing'), dans.count('user-stop-typing')]).toEqual([1, 0])
})
