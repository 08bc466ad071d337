import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { openTestAccounts } from '../testing/open-test-accounts.ts'
import { accountKey, isAccount } from './account-documents.ts'
import { createAccounts } from './accounts.ts'
import { claimKey } from './claims.ts'

const opened = { now: 1_000_000 } as Awaited<ReturnType<typeof openTestAccounts>> & { now: number }
const open = () => createAccounts({ database: opened.database, now: () => opened.now })

beforeAll(async () => void Object.assign(opened, await openTestAccounts()))
afterAll(() => opened.close())

function details(username: string, email = `${username}@example.org`) {
  return { username, email, passwordHash: 'x' }
}

async function register(username: string) {
  const outcome = await open().register(details(username))
  if (outcome.kind !== 'done') throw new Error(`${username} was not registered`)
  return outcome.account
}

describe('accounts', () => {
  it('give one name to one person, whatever its case', async () => {
    await register('Ann')
    expect(await open().register(details('aNN', 'other@example.org'))).toMatchObject({
      kind: 'taken',
      field: 'username',
    })
    expect(await open().register(details('other', 'ANN@example.org'))).toMatchObject({
      kind: 'taken',
      field: 'email',
    })
  })

  it('give a name that two ask for at once to exactly one', async () => {
    const tries = Array.from({ length: 20 }, (_, i) =>
      open().register(details('wanted', `${i}@a.org`)),
    )
    const kinds = (await Promise.all(tries)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'done')).toHaveLength(1)
    expect(kinds.filter((kind) => kind === 'taken')).toHaveLength(19)
  })

  it('leave no claim behind when a registration is refused', async () => {
    await register('taker')
    await open().register(details('free-again', 'taker@example.org'))
    expect(await register('free-again')).toMatchObject({ username: 'free-again' })
  })

  it('find a person by name, email and phone number in any formatting', async () => {
    const ben = await register('Ben')
    await open().changeProfile(ben.userId, { phone_number: '12345678901' })
    for (const text of ['ben', 'BEN@example.org', '+1 (234) 567-8901']) {
      expect((await open().findBySignInName(text))?.userId).toBe(ben.userId)
    }
    expect(await open().findBySignInName('nobody')).toBeUndefined()
  })

  it('read as much for a name that nobody has, an account among it each time', async () => {
    const reads: [asked: number, accounts: number][] = []
    const database: typeof opened.database = {
      ...opened.database,
      async read(ids) {
        const found = await opened.database.read(ids)
        reads.push([new Set(ids).size, [...found.values()].filter(isAccount).length])
        return found
      },
    }
    const accounts = createAccounts({ database, now: () => opened.now })
    const bea = await register('Bea')
    await accounts.changeProfile(bea.userId, { phone_number: '12025550143', username: 'Beatrix' })
    const readFor = async (text: string) => {
      reads.splice(0)
      const found = await accounts.findBySignInName(text)
      return { isFound: found !== undefined, reads: reads.toSorted() }
    }
    for (const [known, unknown] of [
      ['beatrix', 'beatrice'],
      ['bea', 'zoe'],
      ['bea@example.org', 'zoe@example.org'],
      ['+1 202 555 0143', '+1 202 555 0142'],
    ] as const) {
      const ofKnown = await readFor(known)
      expect([known, ofKnown.isFound]).toEqual([known, true])
      expect(ofKnown.reads.every(([asked, found]) => asked === 2 && found > 0)).toBe(true)
      expect([unknown, await readFor(unknown)]).toEqual([unknown, { ...ofKnown, isFound: false }])
    }
  })

  it('take over a claim whose registration broke off, once it cannot be under way any more', async () => {
    const userId = '01890000-0000-7000-8000-000000000001'
    const claim = { _id: claimKey('username', 'broken'), userId, claimedAt: opened.now }
    await opened.database.insert(claim)
    expect(await open().register(details('broken'))).toMatchObject({ kind: 'taken' })
    opened.now += 10_000
    const account = await register('broken')
    expect((await open().findBySignInName('broken'))?.userId).toBe(account.userId)
    const key = accountKey(userId)
    expect((await opened.database.read([key])).get(key)).toMatchObject({ departedAt: opened.now })
  })

  it('forget a person who leaves, and free the names', async () => {
    const person = await register('leaver')
    await open().remove(person.userId)
    expect(await open().find(person.userId)).toBeUndefined()
    expect(await open().changeProfile(person.userId, { status: 'x' })).toEqual({ kind: 'missing' })
    const next = await register('leaver')
    expect(next.userId).not.toBe(person.userId)
  })

  it('list as many people as are wanted, however many have left before them', async () => {
    const before = await open().list(100)
    for (const { userId } of before) await open().remove(userId)
    for (const name of ['Cyd', 'Dia', 'Edd']) await register(name)
    const listNames = async (limit: number) =>
      (await open().list(limit)).map(({ username }) => username)
    expect(await listNames(1)).toEqual(['Cyd'])
    expect(await listNames(2)).toEqual(['Cyd', 'Dia'])
    expect(await listNames(100)).toEqual(['Cyd', 'Dia', 'Edd'])
  })

  it('clear a field with null and leave the others', async () => {
    const person = await register('clearer')
    await open().changeProfile(person.userId, { whatsapp_name: 'C', status: 'Busy' })
    await open().changeProfile(person.userId, { whatsapp_name: null })
    const account = must(await open().find(person.userId), 'account')
    expect(account).toMatchObject({ status: 'Busy', username: 'clearer' })
    expect(account).not.toHaveProperty('whatsapp_name')
  })

  it('never move the last time seen backwards', async () => {
    const people = [await register('seen'), await register('seen-too'), await register('unseen')]
    const [a, b, c] = people.map(({ userId }) => userId) as [string, string, string]
    await open().writeLastSeen([a, b], 50)
    await open().writeLastSeen([a], 40)
    expect(await open().readLastSeen([a, b, c])).toEqual(
      new Map([
        [a, 50],
        [b, 50],
      ]),
    )
  })

  it('are seen no more once they have left', async () => {
    const { userId } = await register('leaver')
    await open().remove(userId)
    await open().writeLastSeen([userId, 'nobody'], 50)
    expect(await open().readLastSeen([userId, 'nobody'])).toEqual(new Map())
  })

  it('free every name also when they change it while they leave', async () => {
    const { userId } = await register('leaving')
    await Promise.all([
      open().changeProfile(userId, { username: 'has-left' }),
      open().remove(userId),
      open().changeProfile(userId, { username: 'left-for-good' }),
    ])
    for (const username of ['leaving', 'has-left', 'left-for-good']) {
      expect(await open().findTaken({ username, email: 'free@example.org' })).toBeUndefined()
      expect(await open().findBySignInName(username)).toBeUndefined()
    }
  })
})

it('changed by two servers at once are changed, or say so', async () => {
  const { userId } = await register('Dora')
  const servers = [open(), open()]
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      servers[index % 2]?.changeProfile(userId, { username: `Dora-${index}` }),
    ),
  )
  const kinds = new Set(outcomes.map((outcome) => outcome?.kind))
  expect([...kinds].filter((kind) => kind !== 'done' && kind !== 'overtaken')).toEqual([])
  expect(kinds).toContain('done')
})
