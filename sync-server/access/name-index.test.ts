import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { openTestAccounts } from '../testing/open-test-accounts.ts'
import type { ClaimDocument } from './account-documents.ts'
import { claimKey } from './claims.ts'
import { createNameIndex } from './name-index.ts'

const opened = {} as Awaited<ReturnType<typeof openTestAccounts>>
beforeEach(async () => void Object.assign(opened, await openTestAccounts()))
afterEach(() => opened.close())

interface Person {
  userId: string
  username: string
  phone?: string
}

/** Writes these people's claims; `isGone` removes them. */
async function claim(people: readonly Person[], isGone = false) {
  const claims = people.flatMap(({ userId, username, phone }) => [
    { _id: claimKey('username', username), userId },
    ...(phone ? [{ _id: claimKey('phone', phone), userId }] : []),
  ])
  for (let from = 0; from < claims.length; from += 5_000) {
    const put = claims.slice(from, from + 5_000).map(
      (one): ClaimDocument => ({
        ...one,
        claimedAt: 1,
        ...(isGone ? { _deleted: true as const } : {}),
      }),
    )
    await opened.database.update(
      put.map(({ _id }) => _id),
      () => ({ put, result: undefined }),
    )
  }
}

/** The expected result of a search: checks and sorts everybody. */
function searchAll(people: readonly Person[], text: string, limit: number, isPhone = false) {
  const digits = /^[\d\s+().-]+$/.test(text) ? text.replace(/\D/g, '') : ''
  const hits = people.flatMap(({ userId, username, phone = '' }) =>
    [isPhone ? '' : username.toLowerCase(), phone]
      .filter((name) => name.includes(text) || (digits.length > 1 && name.includes(digits)))
      .map((name) => ({ userId, name })),
  )
  const rank = ({ name }: { name: string }) => `${name.startsWith(text) ? 0 : 1}${name}`
  const sorted = hits.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return [...new Set(sorted.map(({ userId }) => userId))].slice(0, limit)
}

/** The same at each run. */
function createDice(seed: number) {
  const state = { value: seed }
  return (sides: number) => {
    state.value = (Math.imul(state.value, 1_103_515_245) + 12_345) >>> 0
    return (state.value >>> 8) % sides
  }
}

function invent(count: number, letters: string, dice: (sides: number) => number): Person[] {
  const byName = new Map<string, Person>()
  while (byName.size < count) {
    const length = 3 + dice(9)
    const username = Array.from({ length }, () => letters[dice(letters.length)])
      .join('')
      .trim()
    const phone = dice(2) === 0 ? { phone: `49${String(10_000_000 + byName.size * 7_919)}` } : {}
    if (byName.has(username) || username.length < 2) continue
    byName.set(username, { userId: `user ${byName.size}`, username, ...phone })
  }
  return [...byName.values()]
}

describe('the index of names', () => {
  it('finds the same people as a full scan, in the same order, also after changes', async () => {
    const dice = createDice(7)
    const people = invent(600, 'abcä -中文', dice)
    await claim(people)
    const index = createNameIndex({ database: opened.database })
    const texts = ['ab', 'ba', 'a ', 'cab', 'äb', '中文', '中', 'a-b', 'abca', 'cc', 'x', 'bbbbb']
    const numbers = ['49', '10', '+4', '49 1', '4910', '(49) 10', '0-0', '491000', '+49100', '7919']
    const compare = async (present: readonly Person[]) => {
      for (const limit of [1, 7, 1_000]) {
        for (const text of [...texts, ...numbers].filter((one) => one.length > 1)) {
          expect([text, await index.search(text, limit)]).toEqual([
            text,
            searchAll(present, text, limit),
          ])
        }
        for (const digits of ['491', '000', '4910', '7919', '499999999']) {
          expect(await index.searchPhones(digits, limit)).toEqual(
            searchAll(present, digits, limit, true),
          )
        }
      }
    }
    await compare(people)
    const left = people.slice(0, 200)
    await claim(left, true)
    await compare(people.slice(200))
    const back = left.slice(0, 90).map((person) => ({ ...person, userId: `next ${person.userId}` }))
    await claim(back)
    await compare([...people.slice(200), ...back])
  })

  it('P12: looks at a few hundred of twenty thousand people', async () => {
    const dice = createDice(11)
    const firsts = invent(150, 'aeionrstlmdkbg', dice).map(({ username }) => username)
    const people = Array.from({ length: 20_000 }, (_, index) => ({
      userId: `user ${index}`,
      username: `${firsts[dice(150)]} ${firsts[dice(150)]} ${index.toString(36)}`,
      ...(index % 2 === 1 ? { phone: `49${String(1_700_000_000 + index * 7_919)}` } : {}),
    }))
    await claim(people)
    const index = createNameIndex({ database: opened.database })
    const { username: name, phone = '' } = must(people[4_711], 'person')
    const searches = ['an', 'er', 'a ', name, name.slice(2, 7), 'nobody at all', phone, '+49 17']
    const looked: Record<string, number> = {}
    for (const text of searches) {
      const before = index.looked()
      expect(await index.search(text, 51)).toEqual(searchAll(people, text, 51))
      looked[text] = index.looked() - before
    }
    for (const digits of [phone, phone.slice(4), '491', '000']) {
      const before = index.looked()
      expect(await index.searchPhones(digits, 21)).toEqual(searchAll(people, digits, 21, true))
      looked[`phone ${digits}`] = index.looked() - before
    }
    expect(Math.max(...Object.values(looked))).toBeLessThan(1_000)
  })

  it('sees what was written before each search, also in the middle of another', async () => {
    const index = createNameIndex({ database: opened.database })
    await claim([{ userId: 'ann', username: 'ann' }])
    const early = index.search('an', 10)
    await claim([{ userId: 'anna', username: 'anna' }])
    const late = Array.from({ length: 20 }, () => index.search('an', 10))
    expect(await early).toContain('ann')
    for (const found of await Promise.all(late)) expect(found).toEqual(['ann', 'anna'])
  })
})
