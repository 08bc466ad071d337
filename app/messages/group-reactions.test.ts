import { expect, test } from 'vitest'
import { groupReactions } from './message-reactions.tsx'

const who = { ownId: 'ann', nameOf: (userId: string) => (userId === 'ben' ? 'Ben' : 'Carl') }

test('lists each emoji once, with everybody who chose it, the earliest first', () => {
  const [later, earlier] = [
    { emoji: '👍', at: 2 },
    { emoji: '👍', at: 1 },
  ]
  expect(groupReactions({ ann: later, ben: earlier }, who)).toEqual([
    { emoji: '👍', names: 'Ben, You', count: 2, at: 2, isOwn: true },
  ])
  expect(groupReactions({ ann: { emoji: '😢', at: 3 }, ben: earlier }, who)).toEqual([
    { emoji: '👍', names: 'Ben', count: 1, at: 1, isOwn: false },
    { emoji: '😢', names: 'You', count: 1, at: 3, isOwn: true },
  ])
})

test('in a group each is named', () => {
  const reaction = { emoji: '👍', at: 1 }
  const [group] = groupReactions({ ben: reaction, carl: reaction }, who)
  expect(group?.names).toBe('Ben, Carl')
})

test('does not show a removed reaction', () => {
  expect(groupReactions({ ann: { emoji: '', at: 2 } }, who)).toEqual([])
  expect(groupReactions(undefined, who)).toEqual([])
})
