import { expect, test } from 'vitest'
import type { KnownPerson } from '../storage/known-peer.ts'
import { testUser } from '../testing/test-user.ts'
import { joinNames } from './join-names.ts'
import { createLiveValue } from './live-value.ts'

test('the names of those who write in a group are one value, which changes only with a name', () => {
  const [ann, ben] = [
    createLiveValue<KnownPerson | undefined>(undefined),
    createLiveValue<KnownPerson | undefined>(testUser()),
  ]
  const names = joinNames(['ann', 'ben'], (userId) => (userId === 'ann' ? ann : ben))
  const heard: string[] = []
  const end = names.subscribe(() => heard.push([...names.getSnapshot().values()].join()))
  const before = names.getSnapshot()
  expect([...before.entries()]).toEqual([
    ['ann', 'Unknown'],
    ['ben', 'Ben'],
  ])

  ben.set(testUser({ isOnline: true }))
  expect(names.getSnapshot()).toBe(before)
  ann.set(testUser({ username: 'Ann' }))
  expect(names.getSnapshot()).not.toBe(before)
  expect(heard.at(-1)).toBe('Ann,Ben')
  // Somebody who occurs twice is one.
  const twice = joinNames(['ben', 'ben'], () => ben)
  expect(twice.getSnapshot()).toBe(twice.getSnapshot())
  end()
  ann.set(testUser({ username: 'Anna' }))
  expect(heard.at(-1)).toBe('Ann,Ben')
})
