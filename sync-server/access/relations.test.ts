import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import { openTestAccounts } from '../testing/open-test-accounts.ts'
import { createAccounts } from './accounts.ts'
import { createRelations } from './relations.ts'

const opened = {} as Awaited<ReturnType<typeof openTestAccounts>>
beforeAll(async () => void Object.assign(opened, await openTestAccounts()))
afterAll(() => opened.close())

async function register(username: string) {
  const accounts = createAccounts({ database: opened.database })
  const outcome = await accounts.register({
    username,
    email: `${username}@a.org`,
    passwordHash: 'x',
  })
  if (outcome.kind !== 'done') throw new Error(`${username} was not registered`)
  return outcome.account.userId
}

describe('relations', () => {
  it('let a message through, hold it while blocked, and know who is nobody', async () => {
    const relations = createRelations({ database: opened.database, isShared: false })
    const [ann, ben] = [await register('ann'), await register('ben')]
    const changed: string[][] = []
    relations.onChanged((userIds) => changed.push([...userIds]))
    expect(await relations.canReach(ann, ben)).toBe('delivered')
    await relations.setBlocked(ben, ann, true)
    expect(await relations.canReach(ann, ben)).toBe('held')
    expect(await relations.canReach(ben, ann)).toBe('delivered')
    expect(await relations.areApart(ann, ben)).toBe(true)
    expect(await relations.areApart(ben, ann)).toBe(true)
    expect(changed).toEqual([[ben, ann]])
    await relations.setBlocked(ben, ann, false)
    expect(await relations.canReach(ann, ben)).toBe('delivered')
    expect(await relations.areApart(ann, ben)).toBe(false)
    expect(await relations.canReach(ann, 'nobody')).toBe('unknown_person')
  })

  it('P8: remember nothing that was read before a block', async () => {
    const { database } = opened
    const [wasRead, goOn] = [createDeferred(), createDeferred()]
    const relations = createRelations({
      isShared: false,
      database: {
        ...database,
        async read(ids) {
          const found = await database.read(ids)
          wasRead.resolve()
          await goOn.promise
          return found
        },
      },
    })
    const [cy, di] = [await register('cyd'), await register('did')]
    const asked = relations.canReach(cy, di)
    await wasRead.promise
    await relations.setBlocked(di, cy, true)
    goOn.resolve()
    expect(await asked).toBe('delivered')
    expect(await relations.canReach(cy, di)).toBe('held')
  })

  it('last across a restart', async () => {
    const [ed, flo] = [await register('eda'), await register('flo')]
    const open = () => createRelations({ database: opened.database, isShared: false })
    await open().setBlocked(ed, flo, true)
    expect(await open().canReach(flo, ed)).toBe('held')
    expect((await open().readBlocks(flo)).blockedBy).toEqual(new Set([ed]))
  })
})
