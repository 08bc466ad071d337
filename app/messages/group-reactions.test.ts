import { expect, test } from 'vitest'
import { groupReactions } from './group-reactions.ts'

const who = { ownId: 'ann', peerName: 'Ben' }

test('lists each emoji once, with everybody who chose it, the earliest first', () => {
  const [later, earlier] = [
    { emoji: '👍', at: 2 },
    { emoji: '👍', at: 1 },
  ]
  expect(groupReactions({ ann: later, ben: earlier }, who)).toEqual([
    { emoji: '👍', names: 'Ben, You', isOwn: true },
  ])
  expect(groupReactions({ ann: { emoji: '😢', at: 3 }, ben: earlier }, who)).toEqual([
    { emoji: '👍', names: 'Ben', isOwn: false },
    { emoji: '😢', names: 'You', isOwn: true },
  ])
})

test('does not show a removed reaction', () => {
  expect(groupReactions({ ann: { emoji: '', at: 2 } }, who)).toEqual([])
  expect(groupReactions(undefined, who)).toEqual([])
})
