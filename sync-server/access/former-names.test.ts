import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { limits } from '../../schema/limits.ts'
import { openTestAccounts } from '../testing/open-test-accounts.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import { createNameIndex } from './name-index.ts'

const opened = {} as Awaited<ReturnType<typeof openTestAccounts>> & { accounts: Accounts }
beforeEach(async () => {
  Object.assign(opened, await openTestAccounts())
  opened.accounts = createAccounts({ database: opened.database })
})
afterEach(() => opened.close())

async function register(username: string, email = `${username}@example.org`) {
  const outcome = await opened.accounts.register({ username, email, passwordHash: 'x' })
  if (outcome.kind !== 'done') throw new Error(`${username} was not registered`)
  return outcome.account.userId
}

const rename = (userId: string, username: string) =>
  opened.accounts.changeProfile(userId, { username })
const whoSignsIn = async (name: string) => (await opened.accounts.findBySignInName(name))?.userId
const readFormerNames = async (userId: string) =>
  must(await opened.accounts.find(userId), 'account').formerNames

describe('a name that was changed', () => {
  it('stays a way in for its owner, and is nobody’s name', async () => {
    const ann = await register('Before')
    await rename(ann, 'After')
    expect(await whoSignsIn('after')).toBe(ann)
    expect(await whoSignsIn('BEFORE')).toBe(ann)
    expect(await opened.accounts.findByName('before')).toBeUndefined()
    const index = createNameIndex({ database: opened.database })
    expect(await index.search('before', 10)).toEqual([])
    expect(await index.search('after', 10)).toEqual([ann])
  })

  it('is anybody’s to register, at once, and then their way in alone', async () => {
    const ann = await register('Before')
    await rename(ann, 'Middle')
    await rename(ann, 'After')
    const wanted = { username: 'before', email: 'ben@example.org' }
    expect(await opened.accounts.findTaken(wanted)).toBeUndefined()
    const ben = await register(wanted.username, wanted.email)
    expect(await whoSignsIn('before')).toBe(ben)
    expect(await whoSignsIn('middle')).toBe(ann)
    expect(await readFormerNames(ann)).toEqual(['Middle'])
    expect(await rename(ann, 'Before')).toMatchObject({ kind: 'taken', field: 'username' })
    expect(await rename(ben, 'Middle')).toMatchObject({ kind: 'done' })
    expect(await whoSignsIn('middle')).toBe(ben)
    expect(await readFormerNames(ann)).toBeUndefined()
    expect(await whoSignsIn('before')).toBe(ben)
  })

  it('is given to exactly one of many who ask at once, its old owner among them', async () => {
    const ann = await register('Before')
    await rename(ann, 'After')
    const asking = Array.from({ length: 10 }, (_, index) =>
      opened.accounts.register({
        username: 'before',
        email: `${index}@example.org`,
        passwordHash: 'x',
      }),
    )
    const outcomes = await Promise.all([...asking, rename(ann, 'Before')])
    const owners = outcomes.flatMap((one) => (one.kind === 'done' ? [one.account.userId] : []))
    expect(owners).toHaveLength(1)
    expect(await whoSignsIn('before')).toBe(owners[0])
  })

  it('is its owner’s name again when they take it back', async () => {
    const ann = await register('Before')
    await rename(ann, 'After')
    expect(await rename(ann, 'BEFORE')).toMatchObject({ kind: 'done' })
    expect(await readFormerNames(ann)).toEqual(['After'])
    const taken = { username: 'before', email: 'ben@example.org' }
    expect(await opened.accounts.findTaken(taken)).toBe('username')
    expect(await createNameIndex({ database: opened.database }).search('before', 10)).toEqual([ann])
  })

  it('is still a way in after a change that was refused', async () => {
    const ann = await register('Before')
    await register('Ben')
    await rename(ann, 'After')
    const refused = await opened.accounts.changeProfile(ann, {
      username: 'Before',
      email: 'ben@example.org',
    })
    expect(refused).toMatchObject({ kind: 'taken', field: 'email' })
    expect([await whoSignsIn('before'), await whoSignsIn('after')]).toEqual([ann, ann])
  })

  it('is not kept for a change of case, nor is more than a handful of them', async () => {
    const ann = await register('Name-0')
    await rename(ann, 'NAME-0')
    expect(await readFormerNames(ann)).toBeUndefined()
    const count = limits.formerNamesMax + 2
    for (let index = 1; index <= count; index += 1) await rename(ann, `Name-${index}`)
    expect(await readFormerNames(ann)).toHaveLength(limits.formerNamesMax)
    expect([await whoSignsIn('name-1'), await whoSignsIn('name-2')]).toEqual([undefined, ann])
    const claims = await opened.database.range({ startkey: 'claim:username:', endkey: 'claim:v' })
    expect(claims).toHaveLength(limits.formerNamesMax + 1)
  })

  it('is free, with all others, when its owner leaves', async () => {
    const ann = await register('Before')
    await rename(ann, 'After')
    await opened.accounts.remove(ann)
    expect(await whoSignsIn('before')).toBeUndefined()
    expect(await opened.database.range({ startkey: 'claim:', endkey: 'claim:~' })).toEqual([])
  })
})
